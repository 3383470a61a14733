/**
 * Nodes of other tests start meanwhile and announce this release to every organization that has not received it yet. So
 * these tests store an older release as the last one announced: whichever node announces the new one, the event is the
 * same.
 */
import { getEvents, register } from "@skein/api/registration.ts";
import { featureLevel, serverVersion } from "@skein/api/server-settings.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, type TestRealm } from "../../../../test/realm.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { announceRelease, announceTo, ownAnnouncement } from "./announce.ts";

const announcement = ownAnnouncement(false);

const rememberOlderRelease = ({ ctx, id }: TestRealm) =>
  ctx.db.updateTable("server_generations").set({ release: "0.0.0" }).where("realm_id", "=", id).execute();

const announce = ({ ctx, id }: TestRealm) => transaction(ctx.db, "test", (tx) => announceTo(tx, id, announcement));

test("clients receive one event when another release takes over, and registration then reports that release", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const queue = await realm.admin.register(["restart", "stream"], ["realm"]);
  const stranger = await elsewhere.admin.register(["restart", "stream"]);
  await rememberOlderRelease(realm);

  await Promise.all([announce(realm), announce(realm), announce(elsewhere)]);

  const { state } = await realm.admin.register([], ["realm"]);
  expect(state.server_generation).toBeGreaterThan(queue.state.server_generation ?? Infinity);
  expect(await eventsUntilNow(realm, [queue])).toEqual([
    [
      {
        type: "restart",
        zulip_version: serverVersion,
        zulip_merge_base: "",
        zulip_feature_level: featureLevel,
        server_generation: state.server_generation,
      },
    ],
  ]);
  expect(await eventsUntilNow(elsewhere, [stranger])).toEqual([[]]);
});

test("a starting node notifies the organizations that last heard of an older release", async () => {
  const [realm, current] = [await newRealm(), await newRealm()];
  const queue = await realm.admin.register(["restart"]);
  const informed = await current.admin.register(["restart", "stream"]);
  await rememberOlderRelease(realm);

  await announceRelease.run(realm.ctx, announcement, { attempt: 1, maxAttempts: 1 });

  expect(await queue.next()).toMatchObject({ type: "restart" });
  expect(await eventsUntilNow(current, [informed])).toEqual([[]]);
});

test("only clients that load their code from the server are asked to reload", async () => {
  const realm = await newRealm();
  const { admin, host, nodes } = realm;
  const types = ["restart", "web_reload_client", "stream"] as const;
  const program = await admin.register([...types]);
  const headers = {
    authorization: `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`,
    "x-forwarded-host": host,
    "user-agent": "Mozilla/5.0 (X11)",
  };
  const inBrowser = async (method: string, path: string, form: Record<string, string>) => {
    const query = new URLSearchParams(form).toString();
    const response = await fetch(`${nodes[1]?.url}/api/v1${path}?${query}`, { method, headers });
    return (await response.json()) as { queue_id: string; last_event_id: number; events: object[] }; // as declared
  };
  const { queue_id, last_event_id } = await inBrowser(register.method, register.path, {
    event_types: JSON.stringify(types),
  });
  await rememberOlderRelease(realm);

  await announce(realm);

  expect(await eventsUntilNow(realm, [program])).toMatchObject([[{ type: "restart" }]]);
  const read = { queue_id, last_event_id: String(last_event_id), dont_block: "true" };
  const { events } = await inBrowser(getEvents.method, getEvents.path, read);
  expect(events.slice(0, 2)).toMatchObject([{ type: "restart" }, { type: "web_reload_client" }]);
});
