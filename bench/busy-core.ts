/** A process that keeps one core busy: what any other work of one core would cost on this machine. */
import { spawn } from "node:child_process";

export async function besideBusyCore<T>(work: () => Promise<T>): Promise<T> {
  const busy = spawn(process.execPath, ["--eval", "for (;;);"], { stdio: "ignore" });
  const end = () => busy.kill("SIGKILL");
  process.once("exit", end); // an aborted run leaves nothing behind
  try {
    return await work();
  } finally {
    process.off("exit", end);
    end();
  }
}
