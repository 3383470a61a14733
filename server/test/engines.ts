/**
 * Starts one temporary PostgreSQL and NATS, and one SMTP server that stores all mail, for the whole test run; tests get
 * their URLs with inject().
 *
 * A separate process stops them when its standard input ends. That happens at the end of the run, and also when the run is
 * interrupted or killed, so nothing is left behind.
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
    /** Path of the protocol's prepared reference document; empty if it is not beside the project. */
    reference: string;
    smtpUrl: string;
    /** URL for fetching sent mail: see mailTo(). */
    mailboxUrl: string;
    /** Deleted at the end; engines that were started in one of its folders are stopped first. */
    scratchFolder: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scratchFolder = await mkdtemp(join(tmpdir(), "skein-test-"));
  await chmod(scratchFolder, 0o711); // the engines may run as another user, which needs to traverse this folder
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
  // Its own session protects it from Ctrl-C, which the terminal sends to the whole process group.
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
