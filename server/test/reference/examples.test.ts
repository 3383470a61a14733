/**
 * All examples of the reference work as printed: commands in a shell with curl, programs with the built package, and what the
 * guides print, each set in its own fresh copy of the demo organization. They return what the pages show, in status and shape.
 */
import { endpoints } from "@skein/api/all.ts";
import { channels } from "@skein/api/examples/demo.ts";
import { eventTexts } from "@skein/api/event-texts.ts";
import { examples } from "@skein/api/examples/all.ts";
import type { AnyExample } from "@skein/api/examples/example.ts";
import { routeNameOf } from "@skein/api/examples/operations.ts";
import { beforeAll, expect, test } from "vitest";
import { eventNames } from "../../src/http/reference/event-page.ts";
import { slugOf } from "../../src/http/reference/event-names.ts";
import { guides } from "../../src/http/reference/guides.ts";
import { deliverToService } from "./deliver-to-service.ts";
import { startDemoServers } from "./demo-servers.ts";
import { send } from "./extra-events.ts";
import type { Answer, Performer } from "./perform.ts";
import { type Printed, printedBlocks, printedExample } from "./printed.ts";
import { readEvents, readOperations, readWebhooks } from "./recorded.ts";
import { runCurl, runShell } from "./run-curl.ts";
import { runProgram, runPrograms } from "./run-programs.ts";
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
let forGuides: Performer;
beforeAll(async () => {
  [forCurl, forPrograms, forGuides] = (await startDemoServers(3)) as [Performer, Performer, Performer];
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

const guidePages = ["", ...guides.map(({ slug }) => slug)];

/** Pages whose own commands set the credentials, and ask for the key. */
const askForKey = ["", "authentication"];

/** The objects that the commands of a page print, one after the other. */
async function runCommandsOf(page: string, performer: Performer): Promise<Json[]> {
  const { site, owner } = performer;
  const blocks = (await printedBlocks(site, page)).filter(({ language }) => language === "shell");
  const isAsked = askForKey.includes(page);
  const environment = isAsked ? {} : { SKEIN_EMAIL: owner.email, SKEIN_API_KEY: owner.key };
  const printed = await runShell(
    blocks.map(({ code }) => code).join("\n"),
    environment,
    isAsked ? `${owner.key}\n` : "",
  );
  return JSON.parse(await runShell("jq -s .", {}, printed)) as Json[];
}

/** Sends messages as long as the work goes on, for work that waits for one. */
async function whileSending<T>(performer: Performer, content: string, work: Promise<T>): Promise<T> {
  const message = { type: "channel", to: channels.general, topic: "tide", content } as const;
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) await Promise.race([done, send(performer, "sendMessage", message)]);
  return done;
}

const printedJson = async ({ site }: Performer, page: string, label: string): Promise<Json> => {
  const block = (await printedBlocks(site, page)).find((candidate) => candidate.label === label);
  return JSON.parse(block?.code ?? "") as Json;
};

test("all commands of the guides work as printed", { timeout: 120_000 }, async () => {
  const printed = new Map<string, Json[]>();
  for (const page of guidePages) {
    const work = runCommandsOf(page, forGuides);
    printed.set(page, await (page === "event-queues" ? whileSending(forGuides, "High tide", work) : work));
  }

  const success = { result: "success" };
  expect(Object.fromEntries(printed)).toMatchObject({
    "": [success],
    authentication: [{ ...success, email: forGuides.owner.email }],
    requests: [success, success],
    errors: [],
    "rate-limits": [],
    "event-queues": [{ ...success, events: expect.arrayContaining([expect.objectContaining({ type: "message" })]) }],
    narrows: [{ ...success, messages: expect.arrayContaining([expect.anything()]) }],
    "incoming-webhooks": [await printedJson(forGuides, "incoming-webhooks", "Response")],
    "outgoing-webhooks": [success],
  });
});

test("all programs of the guides work as printed", { timeout: 120_000 }, async () => {
  const printed: Record<string, string> = {};
  for (const page of guidePages)
    for (const { language, code } of await printedBlocks(forGuides.site, page)) {
      if (language !== "typescript") continue;
      const runsForever = page === "event-queues";
      const work = runProgram(code, forGuides, { runsForever });
      printed[page] = await (runsForever ? whileSending(forGuides, "Low tide", work) : work);
    }

  expect(printed).toEqual({
    authentication: expect.stringContaining(`email: '${forGuides.owner.email}'`) as string,
    errors: "400 BAD_REQUEST Invalid message(s)\n",
    "event-queues": expect.stringContaining("Low tide") as string,
  });
});

test("errors look as on their page", async () => {
  const message = new URLSearchParams({ type: "channel", to: "general", topic: "tide" });

  const { body } = await forGuides.request("POST", "/messages", message, { account: forGuides.owner });

  expect(body).toEqual(await printedJson(forGuides, "errors", "An error"));
});

test("an outgoing webhook receives what its page shows, and may return what the page says", async () => {
  const response = await printedJson(forCurl, "outgoing-webhooks", "What it may return");

  const { request, reply } = await deliverToService(forCurl, response);

  expect(shapeOf(shorten(request))).toEqual(shapeOf(readWebhooks().get("outgoing") ?? {}));
  expect({ content: reply }).toEqual(response);
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
