/**
 * Records what each test covers of the protocol: operations that succeeded, error codes, fields of registration, events.
 * Only if TEST_RECORD names a folder; the tables of docs/compatibility.md are generated from the files there.
 */
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, expect } from "vitest";

const folder = process.env["TEST_RECORD"] ?? "";
const root = join(import.meta.dirname, "../..");
/** `what`, and the first test of this file that covers it. */
const shown = new Map<string, string>();

if (folder !== "") {
  const { fetch } = globalThis;
  globalThis.fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    await noteAnswer(init?.method ?? "GET", pathname, answer);
    return answer;
  };
  afterAll(() => {
    globalThis.fetch = fetch;
    if (shown.size > 0) writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify([...shown]));
  });
}

async function noteAnswer(method: string, path: string, answer: Response): Promise<void> {
  const isJson = answer.headers.get("content-type")?.includes("json") ?? false;
  const body = isJson && method !== "HEAD" ? await readObject(answer.clone()) : {};
  const { code, events } = body;
  if (typeof code === "string") note(`code ${code} ${answer.status}`);
  if (answer.status >= 400) return;
  note(`call ${method} ${path}`);
  if (path.endsWith("/register") && method === "POST" && isJson)
    for (const name of Object.keys(body)) note(`field ${name}`);
  if (path.endsWith("/events") && Array.isArray(events))
    for (const { type, op } of events as { type: string; op?: string }[])
      // as documented
      note(`event ${op === undefined ? type : `${type} ${op}`}`);
}

async function readObject(answer: Response): Promise<Record<string, unknown>> {
  try {
    return (await answer.json()) as Record<string, unknown>; // lists and strings have none of these fields
  } catch {
    return {};
  }
}

function note(what: string): void {
  const { currentTestName, testPath } = expect.getState();
  if (currentTestName === undefined || testPath === undefined || shown.has(what)) return;
  shown.set(what, `${relative(root, testPath)}: ${currentTestName.split(" > ").at(-1) ?? currentTestName}`);
}
