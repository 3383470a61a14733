/**
 * Checks whether NATS can store anything. A stream whose disk was full never acknowledges an entry again until NATS is
 * restarted, even when there is room, although it responds to other requests. A temporary stream on the same server shows
 * whether the disk is still full or the stream has to be replaced.
 */
import { writeEntry } from "./log-entry.ts";
import type { LogConnection, LogIdentity, LogNames } from "./stream.ts";

const trialBytes = 64 * 1024;
const trialMilliseconds = 2000;

/** NATS is reachable, but did not store an entry. */
export class NotStored extends Error {
  override name = "NotStored";
}

/** Logged once for as long as it lasts. */
export const cannotStore =
  "NATS responds but stores nothing: its disk is probably full. Free disk space in its store_dir (or raise " +
  "max_file_store). The event log then continues by itself and delivers everything that was sent meanwhile";

/** Creates a temporary stream, stores an entry in it, and deletes it. */
export async function canStore({ client, manager }: LogConnection, names: LogNames): Promise<boolean> {
  const { trial } = names;
  const remove = () => manager.streams.delete(trial).catch(() => undefined);
  try {
    await remove();
    await manager.streams.add({ name: trial, subjects: [trial], max_bytes: 4 * trialBytes, num_replicas: 1 });
    await client.publish(trial, new Uint8Array(trialBytes), { timeout: trialMilliseconds });
    return true;
  } catch {
    return false;
  } finally {
    await remove();
  }
}

/** Whether the event log's stream stores an entry. The entry has no parts, so it affects nobody. */
export async function storesEntries({ client }: LogConnection, names: LogNames, log: LogIdentity): Promise<boolean> {
  const { epoch, generation } = log;
  try {
    await client.publish(names.transient, writeEntry({ epoch, generation }, []), { timeout: trialMilliseconds });
    return true;
  } catch {
    return false;
  }
}
