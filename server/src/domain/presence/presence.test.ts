import { getPresence, getUserPresence, updatePresence } from "@skein/api/presence.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { updateStatus } from "@skein/api/status.ts";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../test/choose-settings.ts";
import { nodes, startNode } from "../../../test/nodes.ts";
import { heardEverywhere } from "../../../test/presence.ts";
import { newRealm, success, type TestUser } from "../../../test/realm.ts";
import { tell } from "../../../test/talk.ts";

const aTime = expect.any(Number) as number;
const isHere = (user: TestUser, more: Partial<ArgumentsOf<typeof updatePresence>> = {}) =>
  user.call(updatePresence, { status: "active", ping_only: true, ...more });
const everybody = async (user: TestUser) => success(await user.call(getPresence, {})).presences;

test("who comes back is told to everybody once, in the form the client asked for", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const stranger = (await newRealm()).admin;
  const slim = await guest.register(["presence", "message"], ["presence"], { slim_presence: true });
  const full = await guest.register(["presence"], ["presence"]);
  const abroad = await stranger.register(["presence", "message"]);

  success(await heardEverywhere(hamlet, () => isHere(hamlet)));
  success(await isHere(hamlet, { status: "idle" }));
  success(await isHere(hamlet));

  const website = { client: "website", status: "active", timestamp: aTime, pushable: false };
  const event = { type: "presence", user_id: hamlet.id, server_timestamp: aTime, presence: { website } };
  expect(slim.state).toMatchObject({ presences: {}, presence_last_update_id: -1, server_timestamp: aTime });
  expect(await slim.next()).toEqual(event);
  expect(await full.next()).toEqual({ ...event, email: hamlet.email });
  const [mark, foreign] = [await tell(guest, [guest]), await tell(stranger, [stranger])];
  expect(await slim.next()).toMatchObject({ type: "message", message: { id: mark } });
  expect(await abroad.next()).toMatchObject({ type: "message", message: { id: foreign } });
});

test("presence reported to one node is known to the other, by ID and by address", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  for (const user of [realm.admin, realm.admin]) await everybody(user);

  await heardEverywhere(hamlet, () => isHere(hamlet, { status: "idle" }));

  const aggregated = { client: "website", status: "idle", timestamp: aTime };
  const legacy = { [hamlet.email]: { aggregated, website: { ...aggregated, pushable: false } } };
  const one = { status: "idle", timestamp: aTime };
  for (const node of [0, 1]) {
    const reader = realm.admin.on(node);
    expect(success(await reader.call(getPresence, {})).presences).toEqual(legacy);
    for (const user_id_or_email of [String(hamlet.id), hamlet.email])
      expect(success(await reader.call(getUserPresence, { user_id_or_email })).presence).toEqual({
        aggregated: one,
        website: one,
      });
  }
});

test("a client is given only what it has not heard of", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const ask = async (last_update_id: number, node: number) =>
    success(await realm.admin.on(node).call(updatePresence, { status: "idle", ping_only: false, last_update_id }));
  await heardEverywhere(realm.admin, () => isHere(realm.admin));
  await heardEverywhere(hamlet, () => isHere(hamlet));

  const first = await ask(-1, 0);
  const again = await ask(first.presence_last_update_id ?? 0, 1);
  await heardEverywhere(ophelia, () => isHere(ophelia, { status: "idle" }));
  const last = await ask(first.presence_last_update_id ?? 0, 1);

  const active = { active_timestamp: aTime, idle_timestamp: aTime };
  expect(first.presences).toEqual({ [hamlet.id]: active, [realm.admin.id]: active });
  expect(again).toMatchObject({ presences: {}, presence_last_update_id: first.presence_last_update_id });
  expect(last.presences).toEqual({ [ophelia.id]: { idle_timestamp: aTime } });
  expect(last.presence_last_update_id).toBeGreaterThan(first.presence_last_update_id ?? 0);
});

test("one's own report is in the answer to it, in both forms", async () => {
  const realm = await newRealm();
  const { admin } = realm;

  const modern = success(await isHere(admin, { ping_only: false, slim_presence: true }));
  const legacy = success(await isHere(admin, { ping_only: false }));
  const ping = success(await isHere(admin));

  expect(modern.presences).toEqual({ [admin.id]: { active_timestamp: aTime, idle_timestamp: aTime } });
  expect(legacy.presences).toMatchObject({ [admin.email]: { website: { status: "active" } } });
  expect(ping).toEqual({ result: "success", msg: "" });
});

test("history goes back fourteen days, or as far as asked", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
  await realm.ctx.db
    .insertInto("presences")
    .values([
      { user_id: hamlet.id, realm_id: realm.id, last_active_at: null, last_connected_at: daysAgo(13), update_id: 1 },
      { user_id: ophelia.id, realm_id: realm.id, last_active_at: null, last_connected_at: daysAgo(15), update_id: 2 },
    ])
    .execute();
  const known = async (params: object) => {
    const answer = await realm.admin.call(updatePresence, { status: "idle", last_update_id: -1, ...params });
    return Object.keys(success(answer).presences ?? {}).filter((id) => Number(id) !== realm.admin.id);
  };

  expect(await known({})).toEqual([String(hamlet.id)]);
  expect(await known({ history_limit_days: 365 })).toEqual([String(hamlet.id), String(ophelia.id)]);
  expect(await known({ history_limit_days: 0 })).toEqual([]);
  const { state } = await realm.admin.register([], ["presence"], {
    slim_presence: true,
    presence_history_limit_days: 365,
  });
  expect(Object.keys(state.presences ?? {})).toEqual(expect.arrayContaining([String(hamlet.id), String(ophelia.id)]));
});

// spec 4.12: away, presence_enabled
test("who hides is forgotten on every node, told to be gone, and no longer reported", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  for (const node of [0, 1]) success(await realm.admin.on(node).call(getPresence, {}));
  await heardEverywhere(hamlet, () => isHere(hamlet));
  const queue = await realm.admin.register(["presence", "user_status", "message"]);

  success(await heardEverywhere(hamlet, () => hamlet.call(updateStatus, { away: true })));
  success(await isHere(hamlet));

  expect(await queue.next()).toMatchObject({ type: "user_status", away: true });
  const gone = await queue.nextOf("presence");
  expect(gone).toMatchObject({ user_id: hamlet.id, presence: { website: { status: "idle" } } });
  expect(gone.server_timestamp - gone.presence.website.timestamp).toBeGreaterThanOrEqual(200);
  const mark = await tell(hamlet, [realm.admin]);
  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
  const none = { msg: `No presence data for ${hamlet.id}` };
  for (const node of [0, 1])
    expect(await realm.admin.on(node).call(getUserPresence, { user_id_or_email: String(hamlet.id) })).toMatchObject(
      none,
    );
});

test("what a node was told is written down before it goes, and read by one that comes", async () => {
  await nodes();
  const apiOnly = { environment: { SKEIN_ROLES: "api" } };
  const leaving = await startNode(apiOnly);
  const realm = await newRealm([leaving]);
  const hamlet = await realm.user("hamlet");

  success(await isHere(hamlet));
  await leaving.stop();

  const coming = await startNode(apiOnly);
  const [row] = await coming.ctx.db.selectFrom("presences").selectAll().where("user_id", "=", hamlet.id).execute();
  expect(row?.last_active_at?.getTime()).toBe(row?.last_connected_at.getTime());
  expect(Math.abs((row?.last_connected_at.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  const client = realm.client(coming, { email: hamlet.email, apiKey: hamlet.apiKey });
  expect(success(await client.call(getPresence, {})).presences).toMatchObject({
    [hamlet.email]: { aggregated: { status: "active" } },
  });
});

test("in an organization of more than a hundred people nobody is told who comes back", async () => {
  const realm = await newRealm();
  await Promise.all(Array.from({ length: 100 }, (_, n) => realm.user(`courtier ${n}`)));
  const queue = await realm.admin.register(["presence", "message"]);

  const answer = success(await isHere(realm.admin, { ping_only: false, last_update_id: -1 }));
  const mark = await tell(realm.admin, [realm.admin]);

  expect(answer.presences).toHaveProperty(String(realm.admin.id));
  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("wrong values, bots and people one cannot see are refused", async () => {
  const realm = await newRealm();
  const [hamlet, bot] = [await realm.user("hamlet"), await realm.user("bot")];
  const stranger = (await newRealm()).admin;
  await realm.ctx.db.updateTable("users").set({ is_bot: true, bot_type: 1 }).where("id", "=", bot.id).execute();
  const find = (user_id_or_email: string) => hamlet.call(getUserPresence, { user_id_or_email });

  expect(await isHere(hamlet, { status: "asleep" })).toMatchObject({ msg: "Invalid status: asleep" });
  expect(await isHere(bot)).toMatchObject({ msg: "This endpoint does not accept bot requests." });
  expect(await find(String(bot.id))).toMatchObject({ msg: "Presence is not supported for bot users." });
  expect(await find(String(stranger.id))).toMatchObject({ msg: "No such user" });
  expect(await find("nobody@example.com")).toMatchObject({ msg: "No such user" });
  expect(await find(hamlet.email)).toMatchObject({ msg: `No presence data for ${hamlet.email}` });
});

test("an organization without presence has none to give", async () => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ presence_disabled: true }).where("id", "=", realm.id).execute();

  const answer = success(await isHere(realm.admin, { ping_only: false, last_update_id: -1 }));

  expect(answer).toMatchObject({ presences: {}, presence_last_update_id: -1 });
});

test.each([true, false])("a client that follows events knows who came back (slim: %s)", async (slim_presence) => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await chooseSettings(hamlet, { email_address_visibility: 4 });
  const queue = await realm.admin.register(["presence", "message"], ["presence"], { slim_presence });

  await heardEverywhere(hamlet, () => isHere(hamlet));
  const mark = await tell(realm.admin, [realm.admin]);

  const fresh = await realm.admin.register([], ["presence"], { slim_presence });
  expect((await queue.followedState(mark)).presences).toEqual(fresh.state.presences);
  expect(Object.keys(fresh.state.presences ?? {})).toHaveLength(1);
});
