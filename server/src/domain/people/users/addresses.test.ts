import { getMessage, sendMessage } from "@skein/api/messages.ts";
import { getUser, getUserByEmail, getUsers, updateUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accountById } from "../../../identity/account.ts";
import { changeEmailVisibility } from "./addresses.ts";

const allRoles = [100, 200, 300, 400, 600] as const;

/** Changes the visibility as the settings endpoint does. */
async function choose(realm: TestRealm, person: TestUser, visibility: number): Promise<void> {
  const user = await accountById(realm.ctx.db, person.id);
  if (!user) throw new Error("the account is open");
  await transaction(realm.ctx.db, "test", (tx) => changeEmailVisibility(tx, user, visibility));
}

async function readers(realm: TestRealm): Promise<Map<number, TestUser>> {
  const people = await Promise.all(allRoles.map((role) => realm.user(`role${role}`, { role })));
  return new Map(people.map((person, index) => [allRoles[index] ?? 0, person]));
}

// spec 2.4: delivery_email, email
// spec 4.22: email
test.for([
  [1, [100, 200, 300, 400, 600]],
  [2, [100, 200, 300, 400]],
  [5, [100, 200, 300]],
  [3, [100, 200]],
  [4, []],
] as const)("with visibility %i only the roles %j see the real address", async ([visibility, seeing]) => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  const people = await readers(realm);
  const { id: message } = success(
    await shy.call(sendMessage, { type: "direct", to: [...people.values()].map(({ id }) => id), content: "psst" }),
  );

  await choose(realm, shy, visibility);

  const standIn = `user${shy.id}@${realm.host}`;
  for (const [role, reader] of people) {
    const sees = (seeing as readonly number[]).includes(role);
    const { user } = success(await reader.call(getUser, { user_id: shy.id }));
    expect(user.delivery_email).toBe(sees ? shy.email : null);
    expect(user.email).toBe(visibility === 1 ? shy.email : standIn);
    const byReal = await reader.call(getUserByEmail, { email: shy.email });
    expect(byReal.result).toBe(sees ? "success" : "error");
    expect(success(await reader.call(getUserByEmail, { email: standIn })).user.user_id).toBe(shy.id);
    if (sees) continue;
    const places = [
      await reader.call(getUsers, { client_gravatar: false }),
      await reader.call(getMessage, { message_id: message }),
      (await reader.register([])).state,
    ];
    expect(JSON.stringify(places)).not.toContain(shy.email);
    expect(byReal).toEqual(await reader.call(getUserByEmail, { email: `nobody@${realm.host}` }));
  }
  expect(success(await shy.call(getUser, { user_id: shy.id })).user.delivery_email).toBe(shy.email);
});

// spec 6: delivery email change, API email change
test("each user receives what a change of visibility means for them, and nobody else learns the address", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  const people = await readers(realm);
  const queues = new Map<number, Awaited<ReturnType<TestUser["register"]>>>();
  for (const [role, reader] of people) queues.set(role, await reader.register(["realm_user"]));
  const own = await shy.register(["realm_user"]);
  const standIn = `user${shy.id}@${realm.host}`;

  await choose(realm, shy, 3);
  success(await realm.admin.call(updateUser, { user_id: shy.id, full_name: "Between" }));
  await choose(realm, shy, 5);
  success(await realm.admin.call(updateUser, { user_id: shy.id, full_name: "After" }));

  const user_id = shy.id;
  const hidden = { user_id, delivery_email: null };
  const renamed = (full_name: string) => ({ user_id, full_name });
  const everybody = [{ user_id, new_email: standIn }, expect.objectContaining({ avatar_source: "G" })];
  for (const [role, queue] of queues) {
    const persons = [];
    do persons.push(person(await queue.next()));
    while (!JSON.stringify(persons).includes("After"));
    expect(persons).toEqual([
      ...(role > 200 ? [hidden] : []),
      ...everybody,
      renamed("Between"),
      ...(role === 300 ? [{ user_id, delivery_email: shy.email }] : []),
      renamed("After"),
    ]);
  }
  expect(person(await own.next())).toEqual({ user_id, new_email: standIn });
});

const person = (event: object): unknown => ("person" in event ? event.person : undefined);

test("only users who can see a hidden address are notified when it changes", async () => {
  const realm = await newRealm();
  const [shy, member] = [await realm.user("shy"), await realm.user("member")];
  const administrator = await realm.user("administrator", { role: 200 });
  await choose(realm, shy, 3);
  const queues = [await member.register(["realm_user"]), await administrator.register(["realm_user"])];

  success(await realm.admin.call(updateUser, { user_id: shy.id, new_email: `moved@${realm.host}` }));
  success(await realm.admin.call(updateUser, { user_id: shy.id, full_name: "After" }));

  const [members, administrators] = queues;
  expect(await members?.next()).toMatchObject({ person: { full_name: "After" } });
  expect(await administrators?.next()).toMatchObject({ person: { delivery_email: `moved@${realm.host}` } });
  expect(await administrators?.next()).toMatchObject({ person: { full_name: "After" } });
});

test("a client that applied changes of addresses, visibility and its own role has the same state as a fresh registration", async () => {
  const realm = await newRealm();
  const [shy, hamlet] = [await realm.user("shy"), await realm.user("hamlet")];
  const parts = ["realm_user"];
  for (const client_gravatar of [true, false]) {
    const queue = await hamlet.register(["realm_user", "message"], parts, { client_gravatar });

    for (const visibility of [3, 1, 4, 2, 3]) await choose(realm, shy, visibility);
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 200 }));
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 300 }));
    await choose(realm, shy, 1);
    success(await realm.admin.call(updateUser, { user_id: shy.id, new_email: `shy-${client_gravatar}@${realm.host}` }));
    await choose(realm, shy, 3);
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 200 }));

    const fresh = await hamlet.register([], parts, { client_gravatar });
    const { id } = success(await hamlet.call(sendMessage, { type: "direct", to: [hamlet.id], content: "end" }));
    const followed = await queue.followedState(id);
    expect(followed.realm_users).toEqual(fresh.state.realm_users);
    success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 400 }));
  }
});

test("a promoted user receives the addresses they can see now, and later their removal", async () => {
  const realm = await newRealm();
  const [shy, hamlet] = [await realm.user("shy"), await realm.user("hamlet")];
  await choose(realm, shy, 3);
  const queue = await hamlet.register(["realm_user"]);

  success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 200 }));
  success(await realm.admin.call(updateUser, { user_id: hamlet.id, role: 400 }));

  expect(await queue.next()).toMatchObject({ person: { role: 200 } });
  expect(person(await queue.next())).toEqual({ user_id: shy.id, delivery_email: shy.email });
  expect(await queue.next()).toMatchObject({ person: { role: 400 } });
  expect(person(await queue.next())).toEqual({ user_id: shy.id, delivery_email: null });
});

test("a direct message can be sent to a visible address or to the placeholder, and a hidden address is unknown", async () => {
  const realm = await newRealm();
  const [shy, hamlet] = [await realm.user("shy"), await realm.user("hamlet")];
  await choose(realm, shy, 3);
  const write = (sender: TestUser, email: string) =>
    sender.call(sendMessage, { type: "direct", to: [email], content: "hello" });

  expect(await write(hamlet, shy.email)).toMatchObject({ msg: `Invalid email '${shy.email}'` });
  expect(await write(hamlet, `user${shy.id}@elsewhere.example.com`)).toMatchObject({ result: "error" });
  expect(await write(hamlet, `user${shy.id}@${realm.host}`)).toMatchObject({ result: "success" });
  expect(await write(realm.admin, shy.email.toUpperCase())).toMatchObject({ result: "success" });
});
