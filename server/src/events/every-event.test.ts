/**
 * The server sends every event of the protocol, or there is a reason why not. As in all tests, the events that clients read
 * are checked against the protocol's OpenAPI document.
 */
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { Document, readReference } from "../../../api/test/reference.ts";
import { newWorld, stories } from "../../test/every-event.ts";
import { eventsUntilNow } from "../../test/events-until.ts";

const neverSent: Record<string, string> = {
  has_zoom_token: "this server is not connected to Zoom",
  realm_filters: "old clients get no linkifiers, so they get no events about them; the reference sends none either",
  "realm_bot remove": "a deactivated bot is reported by an update; the reference sends none either",
};

/** Events that need time or a separate organization, with the test that covers them. */
const testedElsewhere: Record<string, string> = {
  heartbeat: "queues.test.ts",
  "audit_log add": "../domain/organization/audit/audit.test.ts",
  presence: "../domain/people/presence/presence.test.ts",
  "realm deactivated": "../domain/administration/organization/deactivate.test.ts",
};

const nameOf = (event: { type: string; op?: string }): string =>
  event.op === undefined ? event.type : `${event.type} ${event.op}`;

test("every event of the protocol has a story here, a test elsewhere, or a reason why it is never sent", async () => {
  const covered = [
    ...stories.flatMap(([events]) => events),
    ...Object.keys(testedElsewhere),
    ...Object.keys(neverSent),
  ];

  const known = [...new Document(readReference()).events().keys()];
  expect(known).toHaveLength(76);
  const ourOwn = ["realm_import", "api_key add", "api_key update", "api_key remove", "audit_log add"];
  // Of levels 389 to 418; the document is of level 365.
  const later = [
    "channel_folder add",
    "channel_folder update",
    "channel_folder reorder",
    "navigation_view add",
    "navigation_view update",
    "navigation_view remove",
    "reminders add",
    "reminders remove",
  ];
  expect(covered.toSorted()).toEqual([...known, ...later, ...ourOwn].toSorted());
  for (const [event, file] of Object.entries(testedElsewhere)) {
    const text = await readFile(new URL(file, import.meta.url), "utf8");
    for (const word of event.split(" ")) expect(text).toContain(`"${word}"`);
  }
});

test("each story causes the events it names", async () => {
  const world = await newWorld();

  for (const [, happen] of stories) await happen(world);

  const seen = (await eventsUntilNow(world.realm, world.queues)).flat().map(nameOf);
  expect(new Set(stories.flatMap(([events]) => events)).difference(new Set(seen))).toEqual(new Set());
});
