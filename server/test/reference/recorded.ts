/**
 * The recorded responses, events and requests of webhooks, as the reference pages show them: one file for each operation,
 * event and kind of webhook.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, RecordedEvent, RecordedOperation } from "../../src/http/reference/recorded.ts";

export const folder = join(import.meta.dirname, "../../../api/recorded");

const read = <T>(kind: string): Map<string, T> =>
  new Map(
    readdirSync(join(folder, kind)).map((file) => [
      file.replace(".json", ""),
      JSON.parse(readFileSync(join(folder, kind, file), "utf8")) as T, // written below
    ]),
  );

export const readOperations = (): Map<string, RecordedOperation> => read("operations");
export const readEvents = (): Map<string, RecordedEvent> => read("events");
export const readWebhooks = (): Map<string, Json> => read("webhooks");

export function write(kind: "operations" | "events" | "webhooks", name: string, content: unknown): void {
  mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, kind, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
