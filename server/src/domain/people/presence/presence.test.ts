import { getPresence, getUserPresence, updatePresence } from "@skein/api/presence.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { updateStatus } from "@skein/api/status.ts";
import type { Event } from "@skein/api/events.ts";
import { getOwnUser } from "@skein/api/users.ts";
import { expect, onTestFinished, test, vi } from "vitest";
import { chooseSettings } from "../../../../test/choose-settings.ts";
import { nodes, startNode } from "../../../../test/nodes.ts";
import { untilOnEveryNode } from "../../../../test/presence.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { sendDirect } from "../../../../test/actions.ts";

const aTime = expect.any(Number) as number;
const isHere = (user: TestUser, more: Partial<ArgumentsOf<typeof updatePresence>> = {}) =>
  user.call(updatePresence, { status: "active", ping_only: true, ...more });
const everybody = async (user: TestUser) => success(await user.call(getPresence, {})).presences;

test("a user's arrival is sent to everyone once, in the format the client requested", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const stranger = (await newRealm()).admin;
  const slim = await guest.register(["presence", "message"], ["presence"], { slim_presence: true });
  const full = await guest.register(["presence"], ["presence"]);
  const abroad = await stranger.register(["presence", "message"]);

  success(await untilOnEveryNode(hamlet, () => isHere(hamlet)));
  success(await isHere(hamlet, { status: "idle" }));
  success(await isHere(hamlet));

  const website = { client: "website", status: "active", timestamp: aTime, pushable: false };
  const event = { type: "presence", user_id: hamlet.id, server_timestamp: aTime, presence: { website } };
  expect(slim.state).toMatchObject({ presences: {}, presence_last_update_id: -1, server_timestamp: aTime });
  expect(await slim.next()).toEqual(event);
  expect(await full.next()).toEqual({ ...event, email: hamlet.email });
  const [mark, foreign] = [await sendDirect(guest, [guest]), await sendDirect(stranger, [stranger])];
  expect(await slim.next()).toMatchObject({ type: "message", message: { id: mark } });
  expect(await abroad.next()).toMatchObject({ type: "message", message: { id: foreign } });
});

test("presence reported to one node is known to the other, by ID and by e-mail address", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  for (const user of [realm.admin, realm.admin]) await everybody(user);

  await untilOnEveryNode(hamlet, () => isHere(hamlet, { status: "idle" }));

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

test("a client receives only what it does not know yet", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  const ask = async (last_update_id: number, node: number) =>
    success(await realm.admin.on(node).call(updatePresence, { status: "idle", ping_only: false, last_update_id }));
  await untilOnEveryNode(realm.admin, () => isHere(realm.admin));
  await untilOnEveryNode(hamlet, () => isHere(hamlet));

  const first = await ask(-1, 0);
  const again = await ask(first.presence_last_update_id ?? 0, 1);
  await untilOnEveryNode(ophelia, () => isHere(ophelia, { status: "idle" }));
  const last = await ask(first.presence_last_update_id ?? 0, 1);

  const active = { active_timestamp: aTime, idle_timestamp: aTime };
  expect(first.presences).toEqual({ [hamlet.id]: active, [realm.admin.id]: active });
  expect(again).toMatchObject({ presences: {}, presence_last_update_id: first.presence_last_update_id });
  expect(last.presences).toEqual({ [ophelia.id]: active });
  expect(last.presence_last_update_id).toBeGreaterThan(first.presence_last_update_id ?? 0);
});

test("a user who was only ever idle counts as active when they joined, wherever presence is listed by ID", async () => {
  const realm = await newRealm();
  const ophelia = await realm.user("ophelia");
  const joined = await realm.ctx.db
    .updateTable("users")
    .set({ date_joined: new Date("2024-02-03T04:05:06Z") })
    .where("id", "=", ophelia.id)
    .returning("date_joined")
    .executeTakeFirstOrThrow();

  const report = { status: "idle", ping_only: false, last_update_id: -1 };
  const own = success(await untilOnEveryNode(ophelia, () => isHere(ophelia, report)));
  const asked = success(await isHere(realm.admin, { ping_only: false, slim_presence: true }));
  const { state } = await realm.admin.register([], ["presence"], { slim_presence: true });

  const idle = { active_timestamp: joined.date_joined.getTime() / 1000, idle_timestamp: aTime };
  for (const { presences } of [own, asked, state]) expect(presences).toMatchObject({ [ophelia.id]: idle });
});

test("the response to a report contains that report, in both formats", async () => {
  const realm = await newRealm();
  const { admin } = realm;

  const modern = success(await isHere(admin, { ping_only: false, slim_presence: true }));
  const legacy = success(await isHere(admin, { ping_only: false }));
  const ping = success(await isHere(admin));

  expect(modern.presences).toEqual({ [admin.id]: { active_timestamp: aTime, idle_timestamp: aTime } });
  expect(legacy.presences).toMatchObject({ [admin.email]: { website: { status: "active" } } });
  expect(ping).toEqual({ result: "success", msg: "" });
});

test("history goes back fourteen days, or as far as requested", async () => {
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
    const response = await realm.admin.call(updatePresence, { status: "idle", last_update_id: -1, ...params });
    return Object.keys(success(response).presences ?? {}).filter((id) => Number(id) !== realm.admin.id);
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
test("a user who stops sharing presence is removed on every node, shown as away, and no longer reported", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  for (const node of [0, 1]) success(await realm.admin.on(node).call(getPresence, {}));
  await untilOnEveryNode(hamlet, () => isHere(hamlet));
  const queue = await realm.admin.register(["presence", "user_status", "message"]);

  success(await untilOnEveryNode(hamlet, () => hamlet.call(updateStatus, { away: true })));
  success(await isHere(hamlet));

  expect(await queue.next()).toMatchObject({ type: "user_status", away: true });
  const gone = await queue.nextOf("presence");
  expect(gone).toMatchObject({ user_id: hamlet.id, presence: { website: { status: "idle" } } });
  expect((gone.server_timestamp ?? 0) - (gone.presence?.website.timestamp ?? 0)).toBeGreaterThanOrEqual(200);
  const mark = await sendDirect(hamlet, [realm.admin]);
  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
  const none = { msg: `No presence data for ${hamlet.id}` };
  for (const node of [0, 1])
    expect(await realm.admin.on(node).call(getUserPresence, { user_id_or_email: String(hamlet.id) })).toMatchObject(
      none,
    );
});

test("a node stores its reports before it stops, and a starting node loads them", async () => {
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

test("in an organization of more than a hundred users arrivals are not sent", async () => {
  const realm = await newRealm();
  await Promise.all(Array.from({ length: 100 }, (_, n) => realm.user(`courtier ${n}`)));
  const queue = await realm.admin.register(["presence", "message"]);

  const response = success(await isHere(realm.admin, { ping_only: false, last_update_id: -1 }));
  const mark = await sendDirect(realm.admin, [realm.admin]);

  expect(response.presences).toHaveProperty(String(realm.admin.id));
  expect(await queue.next()).toMatchObject({ type: "message", message: { id: mark } });
});

test("invalid values, bots and invisible users are refused", async () => {
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

test("an organization with presence disabled returns none", async () => {
  const realm = await newRealm();
  await realm.ctx.db.updateTable("realms").set({ presence_disabled: true }).where("id", "=", realm.id).execute();

  const response = success(await isHere(realm.admin, { ping_only: false, last_update_id: -1 }));

  expect(response).toMatchObject({ presences: {}, presence_last_update_id: -1 });
});

test.each([true, false])("a client that applies events knows who came online (slim: %s)", async (slim_presence) => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await chooseSettings(hamlet, { email_address_visibility: 4 });
  const queue = await realm.admin.register(["presence", "message"], ["presence"], { slim_presence });

  await untilOnEveryNode(hamlet, () => isHere(hamlet));
  const mark = await sendDirect(realm.admin, [realm.admin]);

  const fresh = await realm.admin.register([], ["presence"], { slim_presence });
  expect((await queue.followedState(mark)).presences).toEqual(fresh.state.presences);
  expect(Object.keys(fresh.state.presences ?? {})).toHaveLength(1);
});

/** The duration of the slowest of several requests that a user sends, one after the other, during a flood by another user. */
async function slowestWhile(user: TestUser, flood: Promise<unknown>): Promise<number> {
  const times: number[] = [];
  let isOver = false;
  void flood.finally(() => (isOver = true));
  do {
    const begun = performance.now();
    success(await user.call(getOwnUser, {}));
    times.push(performance.now() - begun);
  } while (!isOver);
  await flood;
  return Math.max(...times);
}

const reportsInFlood = 200;

/** Sends many requests, some of them concurrently. */
async function floodWith(ask: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < reportsInFlood) await ask(next++);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

test("a flood of presence reports is published once by each node, and does not delay others", async () => {
  const realm = await newRealm();
  const [hamlet, bystander] = [await realm.user("hamlet"), await realm.user("bystander")];
  const everyNode = await nodes();
  const publishing = everyNode.map(({ ctx }) => vi.spyOn(ctx.events, "publishTransient"));
  onTestFinished(() => publishing.forEach((spy) => spy.mockRestore()));
  const statements = async () => {
    const counts = await Promise.all(everyNode.map(async ({ ctx }) => (await ctx.metrics.statements.get()).values));
    return counts.flat().reduce((sum, { value }) => sum + value, 0);
  };
  const counted = async (work: Promise<unknown>) => {
    const before = await statements();
    const slowest = await slowestWhile(bystander, work);
    return { slowest, statements: (await statements()) - before };
  };
  const queue = await bystander.register(["presence", "message"]);
  const harmless = await counted(floodWith(() => hamlet.call(getOwnUser, {})));
  const begun = performance.now();

  // Other nodes know of the user's presence once the first report has been through the log.
  const flood = await counted(floodWith((n) => isHere(hamlet, { status: n % 2 === 0 ? "active" : "idle" })));

  const seconds = (performance.now() - begun) / 1000;
  const end = await sendDirect(bystander, [bystander]);
  const events: Event[] = [];
  while (events.at(-1)?.type !== "message") events.push(await queue.next());
  expect(events.pop()).toMatchObject({ message: { id: end } });
  // Both nodes may have published a report before either received the other's.
  expect(events.length).toBeGreaterThan(0);
  expect(events.length).toBeLessThanOrEqual(everyNode.length);
  // A node collects reports for a second, until its first one has come back through the log.
  const published = publishing.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
  expect(published).toBeLessThanOrEqual(2 * everyNode.length);
  expect(flood.statements).toBeLessThanOrEqual(harmless.statements + 20 + 10 * seconds);
  expect(flood.slowest).toBeLessThan(5 * harmless.slowest + 100);
});
