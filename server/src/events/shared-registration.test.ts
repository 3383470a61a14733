/** Registrations that share a snapshot, and what is serialized once for many readers. */
import { sendMessage } from "@skein/api/messages.ts";
import { updateRealm } from "@skein/api/realm-settings.ts";
import { deactivateUser, getUsers, updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { channelOf } from "../../test/actions.ts";
import { authorizationOf } from "../../test/files.ts";
import { groupId } from "../../test/groups.ts";
import { startNode } from "../../test/nodes.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../test/realm.ts";

type Node = Awaited<ReturnType<typeof startNode>>;
type State = Record<string, unknown> & { realm_users: Person[]; realm_non_active_users: Person[] };
type Person = Record<string, unknown> & { user_id: number; delivery_email: string | null };

const oneAtATime = { SKEIN_DATABASE_CONNECTIONS: "2" };

const headersOf = (user: TestUser) => ({ authorization: authorizationOf(user), "x-forwarded-host": user.realm.host });

const post = (node: Node, user: TestUser, path: string, form: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${node.url}/api/v1${path}`, {
    method: "POST",
    headers: headersOf(user),
    body: new URLSearchParams(form),
    ...(signal ? { signal } : {}),
  });

const registerAt = async (node: Node, user: TestUser, form: Record<string, string>): Promise<State> =>
  (await (await post(node, user, "/register", form)).json()) as State;

/** Takes the node's only turn, so that registrations wait until it ends. */
async function holdTurn(node: Node): Promise<() => void> {
  const { registrationDesk } = node.ctx.memory;
  const turn = await registrationDesk.admit({ member: undefined as never, owner: "test", group: 0 }, () => undefined);
  if (!turn) throw new Error("a turn was free");
  return turn.end;
}

async function waitingAt(node: Node, count: number): Promise<void> {
  await expect.poll(() => node.ctx.memory.registrationDesk.waiting).toBe(count);
}

const roles = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const;

/** Somebody of every role for each visibility of e-mail addresses; guests see only some people. */
async function diverseRealm(node: Node): Promise<{ realm: TestRealm; people: TestUser[] }> {
  const realm = await newRealm([node]);
  const people: TestUser[] = [];
  for (const [name, role] of Object.entries(roles))
    for (const visibility of [1, 2, 3, 4, 5]) {
      const user = await realm.user(`${name} ${visibility}`, { role });
      await realm.ctx.db
        .updateTable("users")
        .set({ email_address_visibility: visibility })
        .where("id", "=", user.id)
        .execute();
      people.push(user);
    }
  const { db } = realm.ctx;
  const left = await realm.user("left");
  success(await realm.admin.call(deactivateUser, { user_id: left.id }));
  const field = await db
    .insertInto("custom_profile_fields")
    .values({ realm_id: realm.id, name: "Room", field_type: 1, position: 1 })
    .returning("id")
    .executeTakeFirstOrThrow();
  for (const { id } of people.slice(0, 3))
    await db
      .insertInto("custom_profile_values")
      .values({ realm_id: realm.id, user_id: id, field_id: field.id, value: `room ${id}`, rendered_value: null })
      .execute();
  return { realm, people };
}

const forms = [
  { client_gravatar: "true", slim_presence: "true" },
  {
    client_gravatar: "false",
    client_capabilities: JSON.stringify({ notification_settings_null: true, user_list_incomplete: true }),
  },
];

/** Without what differs each time. */
const comparable = ({ queue_id: _q, last_event_id: _l, server_timestamp: _s, ...state }: State) => state;

test.each([false, true])(
  "whoever registers together with others gets the same as alone, and no address of theirs (restricted guests: %s)",
  async (isRestricted) => {
    const node = await startNode({ environment: oneAtATime });
    const cold = await startNode({ environment: oneAtATime });
    const { realm, people } = await diverseRealm(node);
    await channelOf([realm.admin, ...people.filter((_, index) => index % 3 === 0)], "Denmark");
    const members = await groupId(realm, "role:members");
    if (isRestricted) success(await realm.admin.call(updateRealm, { can_access_all_users_group: { new: members } }));
    const everybody = [realm.admin, ...people].flatMap((user) => forms.map((form) => ({ user, form })));

    const release = await holdTurn(node);
    const begun = everybody.map(({ user, form }) => registerAt(node, user, form));
    await waitingAt(node, everybody.length);
    release();
    const together = await Promise.all(begun);

    for (const [index, { user, form }] of everybody.entries()) {
      cold.ctx.memory.peopleTexts.clear();
      const alone = await registerAt(cold, user, form);
      const state = together[index];
      if (!state) throw new Error("everybody has registered");
      const replaced = JSON.parse(JSON.stringify(state).replaceAll(node.url, cold.url)) as State; // the same with another URL
      expect(comparable(replaced)).toEqual(comparable(alone));
      // GET /users shares nothing.
      const { members: seen } = success(await user.call(getUsers, { client_gravatar: false }));
      const addresses = new Map(seen.map((person) => [person.user_id, person.delivery_email]));
      for (const person of [...state.realm_users, ...state.realm_non_active_users])
        expect([person.user_id, person.delivery_email]).toEqual([
          person.user_id,
          addresses.get(person.user_id) ?? null,
        ]);
    }
  },
);

test("a node that has people in memory shows what another one has changed", async () => {
  const [node, other] = [await startNode(), await startNode()];
  const realm = await newRealm([other]);
  const hamlet = await realm.user("hamlet", { fullName: "Hamlet" });
  const people = async (): Promise<Record<string, unknown>> => {
    const { realm_users, realm_non_active_users } = await registerAt(node, realm.admin, {});
    const named = (list: Person[]) => list.map(({ user_id, full_name }) => [user_id, full_name]);
    return { active: Object.fromEntries(named(realm_users)), left: Object.fromEntries(named(realm_non_active_users)) };
  };
  expect(await people()).toMatchObject({ active: { [hamlet.id]: "Hamlet" } });

  success(await realm.admin.call(updateUser, { user_id: hamlet.id, full_name: "Prince" }));
  expect(await people()).toMatchObject({ active: { [hamlet.id]: "Prince" }, left: {} });
  const horatio = await realm.user("horatio", { fullName: "Horatio" });
  expect(await people()).toMatchObject({ active: { [hamlet.id]: "Prince", [horatio.id]: "Horatio" } });
  success(await realm.admin.call(deactivateUser, { user_id: hamlet.id }));

  const { active, left } = await people();
  expect(active).not.toHaveProperty(String(hamlet.id));
  expect(left).toEqual({ [hamlet.id]: "Prince" });
});

test("whoever registers after a change that another one's registration has not seen sees it", async () => {
  const node = await startNode({ environment: oneAtATime });
  const realm = await newRealm([node]);
  const [one, other] = [await realm.user("one"), await realm.user("other")];
  const nameOf = (state: State) => state.realm_users.find(({ user_id }) => user_id === other.id)?.["full_name"];

  for (let round = 0; round < 20; round++) {
    const before = registerAt(node, one, {});
    success(await realm.admin.call(updateUser, { user_id: other.id, full_name: `Name ${round}` }));
    const after = await registerAt(node, one, {});
    await before;
    expect(nameOf(after)).toBe(`Name ${round}`);
  }
});

test("one member of a shared turn who is no longer valid does not affect the others", async () => {
  const node = await startNode({ environment: oneAtATime });
  const realm = await newRealm([node]);
  const people = [await realm.user("one"), await realm.user("two"), await realm.user("three")];
  const [, leaving] = people;
  if (!leaving) throw new Error("there are three");
  const release = await holdTurn(node);
  const begun = people.map((user) => post(node, user, "/register"));
  await waitingAt(node, 3);

  success(await realm.admin.call(deactivateUser, { user_id: leaving.id }));
  release();

  expect((await Promise.all(begun)).map(({ status }) => status)).toEqual([200, 401, 200]);
});

test("while registrations flood a node, sends go on, and those without a place are told when to try again", async () => {
  const node = await startNode({ environment: { ...oneAtATime, SKEIN_MAX_WAITING_REGISTRATIONS: "4" } });
  const realm = await newRealm([node]);
  const people = await Promise.all(Array.from({ length: 10 }, (_, n) => realm.user(`person ${n}`)));
  const release = await holdTurn(node);

  const flood = people.map((user) => post(node, user, "/register"));
  await waitingAt(node, 4);
  for (const user of people)
    success(await user.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "still here" }));
  release();
  const answers = await Promise.all(flood);

  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(6);
  for (const answer of refused) {
    const body = (await answer.json()) as { "retry-after": number };
    expect([answer.status, body]).toMatchObject([
      429,
      { result: "error", code: "RATE_LIMIT_HIT", msg: "API usage exceeded rate limit" },
    ]);
    expect(body["retry-after"]).toBeGreaterThanOrEqual(1);
    expect(answer.headers.get("retry-after")).toBe(String(body["retry-after"]));
  }
  const { values } = await node.ctx.metrics.registrationRefusals.get();
  expect(values).toMatchObject([{ labels: { reason: "full" }, value: 6 }]);
});

test("a client that disconnects while it waits registers nothing", async () => {
  const node = await startNode({ environment: oneAtATime });
  const realm = await newRealm([node]);
  const [staying, leaving] = [await realm.user("staying"), await realm.user("leaving")];
  const release = await holdTurn(node);
  const leave = new AbortController();
  const left = post(node, leaving, "/register", {}, leave.signal).catch(() => "gone");
  const stayed = post(node, staying, "/register");
  await waitingAt(node, 2);

  leave.abort();
  await waitingAt(node, 1);
  release();

  expect([await left, (await stayed).status]).toEqual(["gone", 200]);
  const queues = await realm.ctx.db
    .selectFrom("event_queues")
    .select("user_id")
    .where("realm_id", "=", realm.id)
    .execute();
  expect(queues).toEqual([{ user_id: staying.id }]);
  expect([node.ctx.memory.registrationDesk.waiting, node.ctx.memory.registrationDesk.running]).toEqual([0, 0]);
});
