/**
 * All examples of the reference work as printed: commands in a shell with curl, programs with the built package, each set in
 * its own fresh copy of the demo organization. They return what the pages show, in status and shape.
 */
import { endpoints } from "@skein/api/all.ts";
import { eventTexts } from "@skein/api/event-texts.ts";
import { examples } from "@skein/api/examples/all.ts";
import type { AnyExample } from "@skein/api/examples/example.ts";
import { routeNameOf } from "@skein/api/examples/operations.ts";
import { beforeAll, expect, test } from "vitest";
import { eventNames } from "../../src/http/reference/event-page.ts";
import { slugOf } from "../../src/http/reference/event-names.ts";
import { startDemoServers } from "./demo-servers.ts";
import type { Answer, Performer } from "./perform.ts";
import { type Printed, printedExample } from "./printed.ts";
import { readEvents, readOperations } from "./recorded.ts";
import { runCurl } from "./run-curl.ts";
import { runPrograms } from "./run-programs.ts";
import { shapeOf, shorten, type Json } from "./shape.ts";

const recorded = readOperations();

const exampleOf = (operation: string): AnyExample => {
  const name = routeNameOf(operation);
  if (name === undefined) throw new Error(`${operation} has no route`);
  return examples[name];
};

/** In the order of the reference; what closes the organization comes last. */
const inOrder = endpoints
  .map(({ operation }) => operation)
  .toSorted((a, b) => Number(exampleOf(a).endsOrganization ?? false) - Number(exampleOf(b).endsOrganization ?? false));

/** A browser has to run this one. */
const forBrowsers = ["fetch-own-api-key"];

/** How a response differs from the recorded one; nothing if it has the same status and shape. */
function difference(operation: string, { status, body }: Answer): string[] {
  const expected = recorded.get(operation);
  if (!expected) return [`${operation} is not recorded: npm run examples`];
  const now = shorten(body as Json);
  if (status !== expected.status) return [`${operation}: ${status} ${JSON.stringify(now)}`];
  const shapes = [shapeOf(now), shapeOf(expected.response)] as const;
  const lists = /\[\]|\{\}/;
  // Lists may have fewer or other elements: what other examples have done meanwhile.
  const strange = [...shapes[0].symmetricDifference(shapes[1])].filter(
    (path) => !lists.test(path) && !path.endsWith("null"),
  );
  return strange.map((path) => `${operation}: ${path}`);
}

let forCurl: Performer;
let forPrograms: Performer;
beforeAll(async () => {
  [forCurl, forPrograms] = (await startDemoServers(2)) as [Performer, Performer];
});

const printedBy = async ({ site }: Performer): Promise<Map<string, Printed>> => {
  const printed = new Map<string, Printed>();
  for (const operation of inOrder) printed.set(operation, await printedExample(site, operation));
  return printed;
};

test("every operation and every event is recorded, and nothing else", () => {
  expect([...recorded.keys()].toSorted()).toEqual(endpoints.map(({ operation }) => operation).toSorted());
  expect([...readEvents().keys()].toSorted()).toEqual(eventNames.map(slugOf).toSorted());
  expect(Object.keys(eventTexts).toSorted()).toEqual([...eventNames].toSorted());
});

test("examples succeed, except for those that say why not", () => {
  const refused = [...recorded].filter(([, { status }]) => status >= 400).map(([operation]) => operation);
  const sayWhy = inOrder.filter((operation) => exampleOf(operation).refused !== undefined);
  expect(refused.toSorted()).toEqual(sayWhy.toSorted());
});

test("all curl commands work as printed", { timeout: 300_000 }, async () => {
  const printed = await printedBy(forCurl);
  const areas = Object.values(Object.groupBy(endpoints, ({ area }) => area));
  const last = inOrder.filter((operation) => exampleOf(operation).endsOrganization);
  const run = async (operation: string): Promise<string[]> => {
    const commands = printed.get(operation)?.curl ?? "";
    try {
      return difference(operation, await runCurl(commands, forCurl));
    } catch (error) {
      return [`${operation}: ${String(error)}`];
    }
  };

  // One area at a time in each of three shells.
  const waiting = areas.map((members = []) => members.map(({ operation }) => operation));
  const failed: string[] = [];
  const shell = async (): Promise<void> => {
    for (let area = waiting.shift(); area !== undefined; area = waiting.shift())
      for (const operation of area) if (!last.includes(operation)) failed.push(...(await run(operation)));
  };
  await Promise.all([shell(), shell(), shell()]);
  for (const operation of last) failed.push(...(await run(operation)));

  expect(failed).toEqual([]);
});

test("all TypeScript programs work as printed", { timeout: 300_000 }, async () => {
  const printed = await printedBy(forPrograms);
  const programs = new Map(
    [...printed]
      .filter(([operation]) => !forBrowsers.includes(operation))
      .map(([operation, { typescript }]) => [operation, typescript]),
  );

  const answers = await runPrograms(programs, forPrograms);

  const failed = [...programs.keys()].flatMap((operation) =>
    difference(operation, answers[operation] ?? { status: 0, body: {} }),
  );
  expect(failed).toEqual([]);
});
