/**
 * Every event of the protocol is sent, or it is said why not. What the clients here read is held against the protocol's
 * own document, as everywhere.
 */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Document, readReference } from "../../../api/test/reference.ts";
import { newWorld, stories } from "../../test/every-event.ts";
import { eventsUntilNow } from "../../test/events-until.ts";

const neverSent: Record<string, string> = {
  has_zoom_token: "this server is not connected to Zoom",
  realm_filters: "old clients are told of no linkifiers, so there is no news of them; the reference sends none either",
  "realm_bot remove": "a bot whose account is closed is told by an update; the reference sends none either",
};

/** Those that need time, or an organization of their own, by the test that has them. */
const shownElsewhere: Record<string, string> = {
  heartbeat: "queues.test.ts",
  presence: "../domain/presence/presence.test.ts",
  "realm deactivated": "../domain/realm/deactivate.test.ts",
};

const nameOf = (event: { type: string; op?: string }): string =>
  event.op === undefined ? event.type : `${event.type} ${event.op}`;

test("every kind of event of the protocol has a story here or a test elsewhere, or a reason not to", async () => {
  const told = [...stories.flatMap(([events]) => events), ...Object.keys(shownElsewhere), ...Object.keys(neverSent)];

  const known = [...new Document(readReference()).events().keys()];
  expect(known).toHaveLength(76);
  expect(told.toSorted()).toEqual(known.toSorted());
  for (const [event, file] of Object.entries(shownElsewhere)) {
    const text = await readFile(new URL(file, import.meta.url), "utf8");
    for (const word of event.split(" ")) expect(text).toContain(`"${word}"`);
  }
});

// Some eighty calls, one after the other.
test("each story brings about the events it is named by", { timeout: 120_000 }, async () => {
  const world = await newWorld();

  for (const [, happen] of stories) await happen(world);

  const seen = (await eventsUntilNow(world.realm, world.queues)).flat().map(nameOf);
  expect(new Set(stories.flatMap(([events]) => events)).difference(new Set(seen))).toEqual(new Set());
});
