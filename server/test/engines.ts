/**
 * One throw-away PostgreSQL and NATS, and one SMTP server that keeps what it is given, for the whole test run; tests get
 * their addresses with inject().
 *
 * They are taken down by a process of its own, which waits for its standard input to end. That happens when the run is
 * over and also when it is interrupted or killed, so nothing stays behind.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { migrate } from "../src/platform/db/migrate.ts";
import { startEngines } from "../src/platform/engines/engines.ts";
import { prepareReference } from "./reference-answers.ts";
import { startMailCatcher, type MailCatcher } from "./mail-catcher.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    natsUrl: string;
    /** The protocol's own document, made ready; empty when it does not lie beside the project. */
    reference: string;
    smtpUrl: string;
    /** Where mail that was sent is asked for: see mailTo(). */
    mailboxUrl: string;
    /** Removed at the end together with all that is in it; engines started in a folder of it are stopped before. */
    scratchFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchFolder = await mkdtemp(join(tmpdir(), "skein-test-"));
  await chmod(scratchFolder, 0o711); // the engines may run under another account, which has to pass through
  const removeEngines = removeWhenOver(scratchFolder);
  let mailCatcher: MailCatcher | undefined;
  const takeDown = async () => {
    await mailCatcher?.stop();
    await removeEngines();
  };
  try {
    const { postgresUrl, natsUrl } = await startEngines(join(scratchFolder, "shared"), { fsync: false });
    await migrate(postgresUrl);
    project.provide("postgresUrl", postgresUrl);
    project.provide("natsUrl", natsUrl);
    project.provide("reference", prepareReference(scratchFolder) ?? "");
    project.provide("scratchFolder", scratchFolder);
    mailCatcher = await startMailCatcher();
    project.provide("smtpUrl", mailCatcher.smtpUrl);
    project.provide("mailboxUrl", mailCatcher.mailboxUrl);
  } catch (error) {
    await takeDown();
    throw error;
  }
  return takeDown;
}

function removeWhenOver(dir: string): () => Promise<void> {
  // A session of its own keeps Ctrl-C, which goes to the whole group of the terminal, away from it.
  const guard = spawn(process.execPath, [join(import.meta.dirname, "remove-engines.ts"), dir], {
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
  });
  return async () => {
    const exit = once(guard, "exit");
    guard.stdin.end();
    await exit;
  };
}
