/** A real Prometheus that scrapes a server under test. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../src/platform/engines/free-port.ts";

export interface Prometheus {
  /** The number of series that the expression returns now; throws if it is not valid. */
  count: (expression: string) => Promise<number>;
}

/** Scrapes this address every half a second, as the job `skein`. It is stopped after the test. */
export async function startPrometheus(target: string, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), "skein-prometheus-"));
  const config = join(folder, "prometheus.yml");
  const job = { job_name: "skein", static_configs: [{ targets: [new URL(target).host] }] };
  // Every JSON document is a YAML document.
  const settings = { global: { scrape_interval: "500ms", evaluation_interval: "500ms" }, scrape_configs: [job] };
  await writeFile(config, JSON.stringify({ ...settings, rule_files: [rules] }));
  const port = await freePort();
  const child = spawn("prometheus", [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--log.level=warn",
  ]);
  let log = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (text: Buffer) => (log += text.toString()));
  const ended = new Promise<never>((_, reject) => {
    child.once("error", () => reject(new Error("Prometheus is not installed: scripts/test-monitoring installs it")));
    child.once("exit", () => reject(new Error(`Prometheus ended:\n${log}`)));
  });
  ended.catch(() => undefined);
  onTestFinished(async () => {
    if (child.exitCode === null && child.pid !== undefined) {
      child.kill();
      await once(child, "exit");
    }
    await rm(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}`;
  for (;;) {
    const response = await Promise.race([fetch(`${url}/-/ready`).catch(() => undefined), ended]);
    if (response?.ok) break;
    await Promise.race([new Promise((resume) => setTimeout(resume, 50)), ended]);
  }
  return {
    count: async (expression) => {
      const body = new URLSearchParams({ query: expression });
      const response = await fetch(`${url}/api/v1/query`, { method: "POST", body });
      const answer = (await response.json()) as { error?: string; data?: { result: unknown[] } }; // as Prometheus documents it
      if (!answer.data) throw new Error(`${expression}: ${answer.error}`);
      return answer.data.result.length;
    },
  };
}
