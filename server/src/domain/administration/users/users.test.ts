import { applyEvent } from "@skein/api/apply-event.ts";
import { addRealmDomain } from "@skein/api/realm-domains.ts";
import { register } from "@skein/api/registration.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { createUser, getOwnUser, getUser, getUserByEmail, getUsers } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { deactivateUser, reactivateUser } from "./activation.ts";
import { updateRole } from "./role.ts";

const newcomer = (realm: TestRealm, name: string) => ({
  email: `${name.toLowerCase()}@${realm.host}`,
  password: "Basalt-7f3a-tide",
  full_name: name,
});

const organization = async (realm: TestRealm) => {
  const { db } = realm.ctx;
  return db.selectFrom("realms").selectAll().where("id", "=", realm.id).executeTakeFirstOrThrow();
};

const hideAddress = (realm: TestRealm, userId: number, visibility: number) =>
  realm.ctx.db.updateTable("users").set({ email_address_visibility: visibility }).where("id", "=", userId).execute();

// spec 4.18: email, password, full_name, user_id
// spec 2.4: user_id, delivery_email, email, full_name, date_joined, is_active, bot_type, role, avatar_url, profile_data
test("everybody in the organization receives a new user", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const guest = await realm.user("guest", { role: 600 });
  const queues = [await hamlet.register(["realm_user"]), await guest.register(["realm_user"])];

  const { user_id } = success(await realm.admin.call(createUser, newcomer(realm, "Ophelia")));

  const { user } = success(await hamlet.call(getUser, { user_id, include_custom_profile_fields: true }));
  expect(user).toMatchObject({
    user_id,
    full_name: "Ophelia",
    email: `ophelia@${realm.host}`,
    delivery_email: `ophelia@${realm.host}`,
    role: 400,
    is_active: true,
    bot_type: null,
    avatar_url: `/avatar/${user_id}?version=1`,
    profile_data: {},
  });
  expect(user).not.toHaveProperty("bot_owner_id");
  expect(user.date_joined).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d\+00:00$/);
  for (const queue of queues) expect(await queue.next()).toEqual({ type: "realm_user", op: "add", person: user });
});

test("another organization neither receives nor sees a new user", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const queue = await elsewhere.admin.register(["realm_user"]);

  const { user_id } = success(await realm.admin.call(createUser, newcomer(realm, "Ophelia")));
  const own = success(await elsewhere.admin.call(createUser, newcomer(elsewhere, "Laertes")));

  expect(await queue.next()).toMatchObject({ op: "add", person: { user_id: own.user_id } });
  const { members } = success(await elsewhere.admin.call(getUsers, {}));
  expect(members.map((member) => member.user_id)).toEqual([elsewhere.admin.id, own.user_id]);
  const noSuchUser = { result: "error", msg: "No such user", code: "BAD_REQUEST" };
  expect(await elsewhere.admin.call(getUser, { user_id })).toEqual(noSuchUser);
  expect(await elsewhere.admin.call(getUserByEmail, { email: `ophelia@${realm.host}` })).toEqual(noSuchUser);
});

// spec 4.18: organization administrators only, can_create_users
test.for([
  ["a member", 400, true, "Must be an organization administrator"],
  ["a moderator", 300, true, "Must be an organization administrator"],
  ["a guest", 600, true, "Must be an organization administrator"],
  ["an administrator without the right", 200, false, "User not authorized to create users"],
] as const)("%s may not create users", async ([, role, can_create_users, msg]) => {
  const realm = await newRealm();
  const user = await realm.user("hamlet", { role });
  await realm.ctx.db.updateTable("users").set({ can_create_users }).where("id", "=", user.id).execute();

  const answer = await user.call(createUser, newcomer(realm, "Ophelia"));

  expect(answer).toEqual({ result: "error", msg, code: "BAD_REQUEST" });
});

// spec 4.18: error "email is already in use"
test("if many requests use the same address at once, in any case, one succeeds", async () => {
  const realm = await newRealm();
  const wanted = newcomer(realm, "Ophelia");

  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      realm.admin.call(createUser, index % 2 === 0 ? wanted : { ...wanted, email: wanted.email.toUpperCase() }),
    ),
  );

  const refused = answers.filter((answer) => answer.result === "error");
  expect(refused).toHaveLength(5);
  for (const answer of refused)
    expect(answer).toEqual({ result: "error", msg: "Email is already in use.", code: "BAD_REQUEST" });
});

test("the address of a deactivated account stays taken", async () => {
  const realm = await newRealm();
  const gone = await realm.user("gone");
  await transaction(realm.ctx.db, "test", async (tx) => deactivateUser(tx, await organization(realm), gone.id));

  const answer = await realm.admin.call(createUser, { ...newcomer(realm, "Gone"), email: gone.email });

  expect(answer).toMatchObject({ msg: "Email is already in use." });
});

test.for([
  [{ email: "two@at@example.com" }, "Invalid address."],
  [{ full_name: "@bad*name" }, "Invalid characters in name!"],
  [{ password: "a" }, "The password is too weak."],
] as const)("a new user is refused with %j", async ([wrong, msg]) => {
  const realm = await newRealm();

  const answer = await realm.admin.call(createUser, { ...newcomer(realm, "Ophelia"), ...wrong });

  expect(answer).toEqual({ result: "error", msg, code: "BAD_REQUEST" });
});

test("a new user starts with the organization's default settings", async () => {
  const realm = await newRealm();
  const defaults = { twenty_four_hour_time: true, email_address_visibility: 4 };
  await realm.ctx.db
    .updateTable("realms")
    .set({ user_settings_defaults: JSON.stringify(defaults) })
    .where("id", "=", realm.id)
    .execute();

  const { user_id } = success(await realm.admin.call(createUser, newcomer(realm, "Ophelia")));

  const account = await realm.ctx.db
    .selectFrom("users")
    .select(["settings", "email_address_visibility"])
    .where("id", "=", user_id)
    .executeTakeFirstOrThrow();
  expect(account).toEqual({ settings: { twenty_four_hour_time: true }, email_address_visibility: 4 });
});

// spec 4.17: members
test("the list has everybody ordered by ID; system bots appear only in registration", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const gone = await realm.user("gone");
  await transaction(realm.ctx.db, "test", async (tx) => deactivateUser(tx, await organization(realm), gone.id));

  const { members } = success(await guest.call(getUsers, {}));
  const { state } = await guest.register([], ["realm_user"]);

  expect(members.map((member) => [member.user_id, member.is_active])).toEqual([
    [realm.admin.id, true],
    [guest.id, true],
    [gone.id, false],
  ]);
  expect(members.every((member) => !("profile_data" in member))).toBe(true);
  expect(state.realm_users?.map((user) => user.user_id)).toEqual([realm.admin.id, guest.id]);
  expect(state.realm_non_active_users?.map((user) => user.user_id)).toEqual([gone.id]);
  expect(state.cross_realm_bots?.map((bot) => [bot.full_name, bot.is_system_bot])).toEqual([
    ["Notification Bot", true],
    ["Welcome Bot", true],
  ]);
});

// spec 4.17: client_gravatar
// spec 2.4: avatar_url
// spec 4.22: client_gravatar
test("with client_gravatar=false every user has an avatar URL", async () => {
  const realm = await newRealm();

  const { members } = success(await realm.admin.call(getUsers, { client_gravatar: false }));

  expect(members[0]?.avatar_url).toBe(`/avatar/${realm.admin.id}?version=1`);
});

// spec 2.4: delivery_email, email
test("an address nobody may see is shown nowhere", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  const hamlet = await realm.user("hamlet");
  await hideAddress(realm, shy.id, 4);
  const standIn = `user${shy.id}@${realm.host}`;

  const answers = [
    await hamlet.call(getUsers, { client_gravatar: false }),
    await realm.admin.call(getUsers, {}),
    await hamlet.call(getUser, { user_id: shy.id }),
    await hamlet.call(getUserByEmail, { email: standIn }),
    await hamlet.call(register, { fetch_event_types: ["realm_user"] }),
  ];

  for (const answer of answers) {
    expect(answer.result).toBe("success");
    expect(JSON.stringify(answer)).not.toContain(shy.email);
    expect(JSON.stringify(answer)).toContain(standIn);
  }
  const { user } = success(await hamlet.call(getUser, { user_id: shy.id }));
  expect(user).toMatchObject({ delivery_email: null, email: standIn, avatar_url: `/avatar/${shy.id}?version=1` });
  expect(success(await shy.call(getOwnUser, {}))).toMatchObject({ delivery_email: shy.email, email: standIn });
});

// spec 4.22: email, user
// spec 4.22: dummy address
test("looking up a hidden address finds nobody", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  const hamlet = await realm.user("hamlet");
  await hideAddress(realm, shy.id, 3);

  const hidden = await hamlet.call(getUserByEmail, { email: shy.email });
  const unknown = await hamlet.call(getUserByEmail, { email: `nobody@${realm.host}` });
  const seen = success(await realm.admin.call(getUserByEmail, { email: shy.email.toUpperCase() }));

  expect(hidden).toEqual(unknown);
  expect(hidden).toEqual({ result: "error", msg: "No such user", code: "BAD_REQUEST" });
  expect(seen.user).toMatchObject({ user_id: shy.id, delivery_email: shy.email });
});

test("the event of a user with a hidden address contains it only for users who may see it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await realm.ctx.db
    .updateTable("realms")
    .set({ user_settings_defaults: JSON.stringify({ email_address_visibility: 3 }) })
    .where("id", "=", realm.id)
    .execute();
  const [owners, members] = [await realm.admin.register(["realm_user"]), await hamlet.register(["realm_user"])];

  const { user_id } = success(await realm.admin.call(createUser, newcomer(realm, "Shy")));

  const email = `user${user_id}@${realm.host}`;
  expect(await owners.next()).toMatchObject({ person: { user_id, email, delivery_email: `shy@${realm.host}` } });
  expect(await members.next()).toMatchObject({ person: { user_id, email, delivery_email: null } });
});

test("GET /users/me has the caller's own fields", async () => {
  const realm = await newRealm();

  const own = success(await realm.admin.call(getOwnUser, {}));

  expect(own).toMatchObject({
    user_id: realm.admin.id,
    email: realm.admin.email,
    delivery_email: realm.admin.email,
    is_owner: true,
    is_admin: true,
    max_message_id: -1,
    profile_data: {},
  });
  expect(own.avatar_url).toBe(`/avatar/${own.user_id}?version=1`);
});

test("applying the events of people joining, leaving, returning and changing roles matches a fresh registration", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const parts = ["realm_user", "realm_user_groups"];
  const queue = await hamlet.register(["realm_user", "user_group"], parts);
  const row = await organization(realm);
  const change = (action: (tx: Tx) => Promise<void>) => transaction(realm.ctx.db, "test", action);

  const { user_id } = success(await realm.admin.call(createUser, newcomer(realm, "Ophelia")));
  const { user_id: other } = success(await realm.admin.call(createUser, newcomer(realm, "Laertes")));
  await change((tx) => updateRole(tx, row, user_id, 300));
  await change((tx) => deactivateUser(tx, row, user_id));
  await change((tx) => deactivateUser(tx, row, other));
  await change((tx) => reactivateUser(tx, row, other));
  await change((tx) => updateRole(tx, row, other, 600));

  const fresh = await hamlet.register([], parts);
  const everyone = fresh.state.realm_user_groups?.find((group) => group.name === "role:everyone");
  let followed: FollowedState = { ...queue.state, user_id: hamlet.id };
  for (let isLast = false; !isLast;) {
    const event = await queue.next();
    followed = applyEvent(followed, event);
    isLast = "group_id" in event && event.group_id === everyone?.id;
  }
  expect(followed.realm_users).toEqual(fresh.state.realm_users);
  expect(followed.realm_non_active_users).toEqual(fresh.state.realm_non_active_users);
  expect(followed.realm_user_groups).toEqual(fresh.state.realm_user_groups);
});

test("an organization is never left without an owner", async () => {
  const realm = await newRealm();
  const second = await realm.user("second", { role: 100 });
  const row = await organization(realm);

  const results = await Promise.allSettled(
    [realm.admin.id, second.id].map((id) => transaction(realm.ctx.db, "test", (tx) => deactivateUser(tx, row, id))),
  );

  expect(results.map((result) => result.status).toSorted()).toEqual(["fulfilled", "rejected"]);
});

test("if addresses are restricted to domains, administrators can create accounts only in those", async () => {
  const realm = await newRealm();
  await realm.ctx.db
    .updateTable("realms")
    .set({ emails_restricted_to_domains: true })
    .where("id", "=", realm.id)
    .execute();
  success(await realm.admin.call(addRealmDomain, { domain: "example.org", allow_subdomains: false }));
  const make = (email: string) =>
    realm.admin.call(createUser, { email, full_name: "New", password: "a long enough sentence" });

  expect(await make("new@elsewhere.example")).toMatchObject({ result: "error", code: "BAD_REQUEST" });
  success(await make("new@example.org"));
});
