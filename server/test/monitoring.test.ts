/** Metrics, alerts, dashboard and their documentation agree with what a server really serves. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createBot } from "@skein/api/bots.ts";
import { register } from "@skein/api/registration.ts";
import { expect, test } from "vitest";
import { createMetrics } from "../src/platform/metrics.ts";
import { channelOf, sendToChannel } from "./actions.ts";
import { startOwnServer } from "./own-server.ts";
import { startPrometheus } from "./prometheus.ts";
import { newRealm, success } from "./realm.ts";

const root = join(import.meta.dirname, "../..");
const read = (path: string) => readFile(join(root, path), "utf8");
const alertsFile = "deploy/monitoring/alerts.yml";

const server = await startOwnServer({ SKEIN_ROLES: "api,relay,worker" });

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

test("the documentation lists exactly the metrics that a server serves", async () => {
  const page = await read("docs/operating/monitoring.md");
  const served = await (await fetch(`${server.url}/metrics`)).text();
  const kinds = new Map(
    [...served.matchAll(/^# TYPE (skein_\w+) (\w+)$/gm)].map(([, name = "", kind]) => [name, kind]),
  );
  const labels = new Map(
    createMetrics("test")
      .registry.getMetricsAsArray()
      .map((metric) => [metric.name, (metric as unknown as { labelNames: string[] }).labelNames]), // as they were declared
  );

  const rows = [...page.matchAll(/^\| `(skein_\w+)` \| (\w+) \| (.*?) \| .+ \|$/gm)];

  const code = (names: string[] = []) => names.map((name) => `\`${name}\``).join(", ");
  expect(rows.map(([, name, kind, named]) => [name, kind, named])).toEqual(
    [...kinds].map(([name, kind]) => [name, kind, code(labels.get(name))]),
  );
  const [documented, declared] = [page, [...labels.keys()]];
  const mentioned = [...documented.matchAll(/skein_[a-z_]+[a-z]/g)].map(([name]) => name);
  expect(mentioned.filter((name) => !declared.includes(name))).toEqual([]);
});

test("every alert says what to do, has a section in the documentation, and is tested both ways", async () => {
  const [rules, tests, page] = await Promise.all(
    [alertsFile, "deploy/monitoring/alerts.test.yml", "docs/operating/monitoring.md"].map(read),
  );
  const alerts = (rules ?? "").split("- alert: ").slice(1);

  for (const alert of alerts) {
    const [name = ""] = alert.split("\n", 1);
    expect(alert, name).toMatch(/\n +summary: \S/);
    expect(alert, name).toMatch(/\n +action: \S/);
    expect(alert).toContain(`runbook_url: docs/operating/monitoring.md#${name.toLowerCase()}\n`);
    expect(page).toContain(`\n### ${name}\n`);
    expect(tests?.match(new RegExp(`alertname="${name}".*\n.*\n +exp_samples: \\[\\]`, "g")), name).toHaveLength(1);
    expect(tests?.match(new RegExp(`alertname="${name}".*\n.*\n +exp_samples: \\[\\{`, "g")), name).toHaveLength(1);
  }
  expect(alerts.length).toBe(page?.match(/^### Skein\w+$/gm)?.length);
});

test("every expression of the dashboard returns something on a server with a little traffic", async () => {
  const dashboard = JSON.parse(await read("deploy/monitoring/dashboard.json")) as { panels: Panel[] }; // Grafana's format
  const expressions = dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => [title, expr.replaceAll("$__rate_interval", "1m").replaceAll("$node", ".*")] as const),
  );
  const rules = await read(alertsFile);
  const [prometheus, realm] = await Promise.all([
    startPrometheus(server.url, join(root, alertsFile)),
    newRealm([server]),
  ]);
  const channel = await channelOf([realm.admin], "traffic");
  const bot = { full_name: "Hook", short_name: "hook", bot_type: 2 };
  const { api_key } = success(await realm.admin.call(createBot, bot));
  const queue = await realm.admin.register(["message"]);

  const traffic = async () => {
    await sendToChannel(realm.admin, channel);
    await queue.nextOf("message");
    await realm.admin.request("POST", "/messages", { type: "direct" });
    await realm.admin.call(register, { event_types: [] });
    await fetch(`${server.url}/api/v1/external/json?api_key=${api_key}`, {
      method: "POST",
      headers: { "x-forwarded-host": realm.host, "content-type": "application/json" },
      body: '{"a": 1}',
    });
  };

  await traffic();
  const empty = async () => {
    await traffic();
    const counts = await Promise.all(expressions.map(([, expression]) => prometheus.count(expression)));
    return expressions.filter((_, index) => counts[index] === 0);
  };
  await expect.poll(empty, { interval: 500 }).toEqual([]);
  expect(expressions.length).toBeGreaterThan(40);
  // Prometheus has accepted the rules; this shows that their metrics exist.
  const names = new Set([...rules.matchAll(/skein_\w+/g)].map(([name]) => name.replace(/_(bucket|count|sum)$/, "")));
  const declared = server.ctx.metrics.registry.getMetricsAsArray().map(({ name }) => name);
  expect([...names].filter((name) => !declared.includes(name))).toEqual([]);
});
