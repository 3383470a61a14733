/**
 * What was recorded in the demo organization: the response of every example, the errors and events of every operation, and
 * an example of every event. `npm run examples` records it. Read when a page needs it, and not kept.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

export interface RecordedError {
  /** What was different from the example. */
  when: string;
  status: number;
  code: string;
  msg: string;
}

export interface RecordedOperation {
  status: number;
  response: Json;
  errors: RecordedError[];
  /** Names of events, such as `message` and `drafts add`. */
  events: string[];
}

export interface RecordedEvent {
  /** The example that caused it, by the operation's name; some have other causes. */
  example?: string;
  event: Json;
  /** All operations whose examples caused it. */
  causes: string[];
}

const folder = join(import.meta.dirname, "../../../../api/recorded");

const read = async (kind: string, name: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(join(folder, kind, `${name}.json`), "utf8"));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
};

// `npm run examples` writes them, and a test reads all of them.
export const recordedOperation = async (operation: string) =>
  (await read("operations", operation)) as RecordedOperation | undefined;
export const recordedEvent = async (slug: string) => (await read("events", slug)) as RecordedEvent | undefined;
/** The request of an outgoing webhook. */
export const recordedWebhook = async (name: string) => (await read("webhooks", name)) as Json | undefined;
