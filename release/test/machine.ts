/** A Debian that has booted: systemd and all, in a container with a network of its own. Needs root and systemd-nspawn. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { plainEnvironment, run, type Words } from "./commands.ts";

const bootSeconds = 120;

export interface Machine {
  run: (words: Words) => Promise<string>;
  powerOff: () => Promise<void>;
}

/** Nothing of a release is installed yet, so if this fails, the machine it runs on cannot run such a container. */
export async function boot(root: string): Promise<Machine> {
  const options = ["--quiet", "--boot", "--register=no", "--keep-unit", "--private-network", "--console=pipe"];
  const container = spawn("systemd-nspawn", [...options, `--directory=${root}`], {
    env: plainEnvironment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  for (const output of [container.stdout, container.stderr])
    output.setEncoding("utf8").on("data", (text: string) => (log += text));
  const ended = once(container, "exit");
  const kill = () => container.kill("SIGKILL"); // after a failure it must not outlive this process
  process.once("exit", kill);

  const end = performance.now() + bootSeconds * 1000;
  for (;;) {
    const leader = await childOf(container.pid);
    const enter: Words = ["nsenter", `--target=${leader ?? 0}`, "--mount", "--uts", "--ipc", "--net", "--pid", "--"];
    const inside = (words: Words) => run([...enter, ...words]);
    const isUp = leader !== undefined && (await hasBooted(inside));
    if (isUp)
      return {
        run: inside,
        powerOff: async () => {
          container.kill("SIGTERM"); // systemd-nspawn powers off the container
          await ended;
          process.off("exit", kill);
        },
      };
    if (container.exitCode !== null || performance.now() > end) {
      kill();
      throw new Error(`the container did not boot:\n${log}`);
    }
    await delay(100);
  }
}

async function hasBooted(inside: (words: Words) => Promise<string>): Promise<boolean> {
  // Its exit code is 0 only if no unit has failed; before systemd listens, it fails.
  return inside(["systemctl", "is-system-running"]).then(
    (state) => state === "running\n",
    (error: { stdout?: string }) => error.stdout === "degraded\n",
  );
}

async function childOf(pid: number | undefined): Promise<string | undefined> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return children.split(" ").find((each) => each !== "");
}
