import { randomUUID } from "node:crypto";
import { link, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { isAlive } from "./processes.ts";

const timeoutMilliseconds = 150_000;

/** Runs `work` while holding a lock file, which contains the holder's pid. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const ticket = `${path}.${randomUUID()}`;
  await writeFile(ticket, String(process.pid));
  try {
    await acquire(path, ticket);
  } finally {
    await rm(ticket, { force: true });
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquire(path: string, ticket: string): Promise<void> {
  const deadline = performance.now() + timeoutMilliseconds;
  // Creating a hard link is atomic: it appears with the pid inside, or fails because the lock is taken.
  while (!(await tryLink(ticket, path))) {
    const holder = await holderOf(path);
    if (holder !== undefined && !(await isAlive(holder))) {
      await removeAbandoned(path, ticket);
    }
    if (performance.now() > deadline) {
      throw new Error(
        `Process ${holder} holds ${path}. If it is not working on this folder, remove ${path} and ${guardOf(path)}.`,
      );
    }
    await delay(20);
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

async function holderOf(path: string): Promise<number | undefined> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

/**
 * Two processes may find the same abandoned lock, and the slower one must not remove the lock the faster one has taken
 * since. So it is removed only under a guard, after checking again that its holder is gone.
 */
async function removeAbandoned(path: string, ticket: string): Promise<void> {
  const guard = guardOf(path);
  if (!(await tryLink(ticket, guard))) return;
  try {
    const holder = await holderOf(path);
    if (holder !== undefined && !(await isAlive(holder))) await rm(path);
  } finally {
    await rm(guard);
  }
}

function guardOf(path: string): string {
  return `${path}.guard`;
}
