/** The recorded responses and events, as the reference pages show them: one file for each operation and event. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RecordedEvent, RecordedOperation } from "../../src/http/reference/recorded.ts";

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

export function write(kind: "operations" | "events", name: string, content: unknown): void {
  mkdirSync(join(folder, kind), { recursive: true });
  writeFileSync(join(folder, kind, `${name}.json`), `${JSON.stringify(content, null, 2)}\n`);
}
