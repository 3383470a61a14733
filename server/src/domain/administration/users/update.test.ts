import { getChannels } from "@skein/api/channels.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { createProfileField } from "@skein/api/profile-fields.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { getOwnUser, getUser, getUsers, updateUser, updateUserByEmail } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";

const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

async function newChannel(maker: TestUser, name: string, settings: { invite_only?: boolean } = {}): Promise<number> {
  success(await maker.call(subscribe, { subscriptions: [{ name }], ...settings }));
  const { streams } = success(await maker.call(getChannels, {}));
  const channel = streams.find((one) => one.name === name);
  if (!channel) throw new Error(`${name} was not made`);
  return channel.stream_id;
}

const systemGroup = async (realm: TestRealm, name: string): Promise<number> => {
  const { state } = await realm.admin.register([], ["realm_user_groups"]);
  return state.realm_user_groups?.find((group) => group.name === name)?.id ?? 0;
};

// spec 4.14: full_name, person full_name form
// spec 6: realm_user, person full-name change
test("everybody in the organization receives a new name, including guests", async () => {
  const realm = await newRealm();
  const elsewhere = await newRealm();
  const hamlet = await realm.user("hamlet");
  const guest = await realm.user("guest", { role: 600 });
  const queues = [await hamlet.register(["realm_user"]), await guest.register(["realm_user"])];
  const outside = await elsewhere.admin.register(["realm_user"]);

  const answer = await realm.admin.call(updateUser, { user_id: hamlet.id, full_name: "  Prince Hamlet " });
  success(await elsewhere.admin.call(updateUser, { user_id: elsewhere.admin.id, full_name: "Somebody Else" }));

  expect(answer).toEqual({ result: "success", msg: "" });
  const person = { user_id: hamlet.id, full_name: "Prince Hamlet" };
  for (const queue of queues) expect(await queue.next()).toEqual({ type: "realm_user", op: "update", person });
  expect(await outside.next()).toMatchObject({ person: { full_name: "Somebody Else" } });
  expect(success(await guest.call(getUser, { user_id: hamlet.id })).user.full_name).toBe("Prince Hamlet");
});

// spec 4.14: organization administrators only
test.for([
  ["a member", 400],
  ["a moderator", 300],
  ["a guest", 600],
] as const)("%s changes nobody, by id or by address, not even the own account", async ([, role]) => {
  const realm = await newRealm();
  const target = await realm.user("target");
  const actor = await realm.user("actor", { role });

  const answers = [
    await actor.call(updateUser, { user_id: target.id, full_name: "Other Name" }),
    await actor.call(updateUser, { user_id: actor.id, role: 200 }),
    await actor.call(updateUser, { user_id: 999_999_999, full_name: "Other Name" }),
    await actor.call(updateUserByEmail, { email: target.email, full_name: "Other Name" }),
    await actor.call(updateUserByEmail, { email: `nobody@${realm.host}`, full_name: "Other Name" }),
  ];

  for (const answer of answers) expect(answer).toEqual(refusal("Insufficient permission"));
  expect(success(await actor.call(getUser, { user_id: target.id })).user.full_name).toBe("target");
});

// spec 4.14: user_id
test("a user of another organization does not exist for an administrator", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const bots = await realm.admin.register([], ["realm_user"]);
  const systemBot = bots.state.cross_realm_bots?.[0]?.user_id ?? 0;

  for (const user_id of [elsewhere.admin.id, 999_999_999, systemBot])
    expect(await realm.admin.call(updateUser, { user_id, full_name: "Other Name" })).toEqual(refusal("No such user"));
});

// spec 4.14: full_name
test.for([
  [{ full_name: "x".repeat(101) }, "Name too long!"],
  [{ full_name: "*bad* `name`" }, "Invalid characters in name!"],
  [{ new_email: "not an address" }, "Invalid address."],
  [{ profile_data: [{ id: 999_999_999, value: "x" }] }, "Field id 999999999 not found."],
] as const)("a change is refused whole when a part of it is wrong: %j", async ([wrong, msg]) => {
  const realm = await newRealm();
  const target = await realm.user("target");

  const { profile_data, ...others } = { profile_data: undefined, ...wrong };
  const answer = await realm.admin.call(updateUser, {
    user_id: target.id,
    role: 300,
    ...others,
    ...(profile_data ? { profile_data: [...profile_data] } : {}),
  });

  expect(answer).toEqual(refusal(msg));
  expect(success(await target.call(getUser, { user_id: target.id })).user).toMatchObject({
    role: 400,
    full_name: "target",
    email: target.email,
  });
});

test("if names must be unique, a taken one is refused in any case, but not the user's own", async () => {
  const realm = await newRealm();
  const [hamlet, ophelia] = [await realm.user("hamlet"), await realm.user("ophelia")];
  await realm.ctx.db.updateTable("realms").set({ require_unique_names: true }).where("id", "=", realm.id).execute();

  const taken = await realm.admin.call(updateUser, { user_id: hamlet.id, full_name: "OPHELIA" });
  const own = await realm.admin.call(updateUser, { user_id: ophelia.id, full_name: "Ophelia" });

  expect(taken).toEqual(refusal("Unique names required in this organization."));
  expect(own.result).toBe("success");
});

// spec 4.14: role, 100, 200, 300, 400, 600
// spec 2.4: role, is_owner, is_admin, is_guest
// spec 5: roles
test("a new role takes effect immediately and is emitted with its system groups", async () => {
  const realm = await newRealm();
  const target = await realm.user("target");
  const hamlet = await realm.user("hamlet");
  const [fullMembers, members, moderators] = [
    await systemGroup(realm, "role:fullmembers"),
    await systemGroup(realm, "role:members"),
    await systemGroup(realm, "role:moderators"),
  ];
  const queue = await hamlet.register(["realm_user", "user_group"]);

  success(await realm.admin.call(updateUser, { user_id: target.id, role: 300 }));

  expect(await queue.next()).toEqual({ type: "realm_user", op: "update", person: { user_id: target.id, role: 300 } });
  const groupEvents = [await queue.next(), await queue.next(), await queue.next()];
  const user_ids = [target.id];
  expect(groupEvents).toEqual([
    { type: "user_group", op: "remove_members", group_id: members, user_ids },
    { type: "user_group", op: "remove_members", group_id: fullMembers, user_ids },
    { type: "user_group", op: "add_members", group_id: moderators, user_ids },
  ]);
  for (const [role, is_owner, is_admin, is_guest] of [
    [600, false, false, true],
    [400, false, false, false],
    [200, false, true, false],
    [100, true, true, false],
  ] as const) {
    success(await realm.admin.call(updateUser, { user_id: target.id, role }));
    const { user } = success(await hamlet.call(getUser, { user_id: target.id }));
    expect(user).toMatchObject({ role, is_owner, is_admin, is_guest });
  }
});

// spec 4.14: role, only owners can add or remove the owner role, guests cannot be administrators
test("only owners grant and revoke the owner role, and a guest cannot become an administrator", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const [target, guest] = [await realm.user("target"), await realm.user("guest", { role: 600 })];

  expect(await administrator.call(updateUser, { user_id: target.id, role: 100 })).toEqual(
    refusal("Must be an organization owner"),
  );
  expect(await administrator.call(updateUser, { user_id: realm.admin.id, role: 400 })).toEqual(
    refusal("Must be an organization owner"),
  );
  for (const role of [100, 200] as const)
    expect(await realm.admin.call(updateUser, { user_id: guest.id, role })).toEqual(
      refusal("Guests cannot be organization administrators"),
    );
  expect((await administrator.call(updateUser, { user_id: target.id, role: 200 })).result).toBe("success");
  expect(await realm.admin.request("PATCH", `/users/${target.id}`, { role: "150" })).toEqual(refusal("Invalid role"));
});

// spec 4.14: role, the owner role cannot be removed from the only owner
test("if two owners demote each other at once, one stays an owner", async () => {
  const realm = await newRealm();
  const second = await realm.user("second", { role: 100 });

  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all([
      realm.admin.on(0).call(updateUser, { user_id: second.id, role: 400 }),
      second.on(1).call(updateUser, { user_id: realm.admin.id, role: 400 }),
    ]);

    expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
    const { members } = success(await second.call(getUsers, {}));
    const owners = members.filter((member) => member.is_owner);
    expect(owners).toHaveLength(1);
    const winner = owners[0]?.user_id === second.id ? second : realm.admin;
    const other = winner === second ? realm.admin : second;
    expect(await winner.call(updateUser, { user_id: winner.id, role: 400 })).toEqual(
      refusal("The owner permission cannot be removed from the only organization owner."),
    );
    success(await winner.call(updateUser, { user_id: other.id, role: 100 }));
  }
});

test("a new guest loses the public channels they are not subscribed to, and gets them back as a member", async () => {
  const realm = await newRealm();
  const target = await realm.user("target");
  const joined = await newChannel(target, "joined");
  const open = await newChannel(realm.admin, "open");
  const hidden = await newChannel(realm.admin, "hidden", { invite_only: true });
  const parts = ["stream", "subscription", "realm_user", "default_streams", "realm_user_groups"];
  const queue = await target.register(undefined, parts, { include_subscribers: true });

  success(await realm.admin.call(updateUser, { user_id: target.id, role: 600 }));
  const asGuest = await target.register([], parts, { include_subscribers: true });
  for (const role of [400, 200] as const) success(await realm.admin.call(updateUser, { user_id: target.id, role }));
  const asAdministrator = await target.register([], parts, { include_subscribers: true });

  const last = { type: "channel" as const, to: joined, topic: "end", content: "done" };
  const { id } = success(await target.call(sendMessage, last));
  const followed = await queue.followedState(id);
  const ids = (channels: { stream_id: number }[] | undefined) => channels?.map((channel) => channel.stream_id);
  expect(ids(asGuest.state.streams)).toEqual([joined]);
  expect(ids(asAdministrator.state.streams)).toEqual([joined, open, hidden]);
  expect(ids(followed.streams)).toEqual([joined, open, hidden]);
  expect(followed.never_subscribed).toEqual(asAdministrator.state.never_subscribed);
  expect(followed.is_admin).toBe(true);
});

// spec 4.14: new_email, can_change_user_emails
// spec 6: delivery email change, API email change
test("an owner with the permission changes an address, which then replaces the old one for signing in", async () => {
  const realm = await newRealm();
  const [target, hamlet] = [await realm.user("target"), await realm.user("hamlet")];
  const queue = await hamlet.register(["realm_user"], [], { client_gravatar: false });
  const email = `moved@${realm.host}`;

  success(await realm.admin.on(0).call(updateUser, { user_id: target.id, new_email: email }));

  expect(await target.on(1).call(getOwnUser, {})).toMatchObject({ result: "error", code: "UNAUTHORIZED" });
  const moved = realm.client(realm.nodes[1] ?? realm.nodes[0]!, { email, apiKey: target.apiKey }); // a realm has nodes
  expect(success(await moved.call(getOwnUser, {}))).toMatchObject({ email, delivery_email: email });
  const user_id = target.id;
  expect(await queue.next()).toMatchObject({ op: "update", person: { user_id, delivery_email: email } });
  expect(await queue.next()).toMatchObject({ op: "update", person: { user_id, new_email: email } });
  expect(await queue.next()).toMatchObject({
    person: {
      user_id,
      avatar_url: success(await hamlet.call(getUser, { user_id, client_gravatar: false })).user.avatar_url,
    },
  });
});

// spec 4.14: new_email, requester must be an owner and hold the can_change_user_emails permission
test("nobody else can change an address, and a taken one is refused even to concurrent requests", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const owner = await realm.user("owner", { role: 100 });
  const people = [await realm.user("one"), await realm.user("two"), await realm.user("three")];
  await realm.ctx.db
    .updateTable("users")
    .set({ can_change_user_emails: true })
    .where("id", "=", administrator.id)
    .execute();
  const wanted = `wanted@${realm.host}`;

  for (const actor of [administrator, owner])
    expect(await actor.call(updateUser, { user_id: people[0]?.id ?? 0, new_email: wanted })).toEqual(
      refusal("User not authorized to change user emails"),
    );
  const answers = await Promise.all(
    people.map((person) => realm.admin.call(updateUser, { user_id: person.id, new_email: wanted })),
  );

  expect(answers.filter((answer) => answer.result === "success")).toHaveLength(1);
  for (const answer of answers.filter(({ result }) => result === "error"))
    expect(answer).toEqual(refusal("Email is already in use."));
  expect(await realm.admin.call(updateUser, { user_id: owner.id, new_email: wanted.toUpperCase() })).toEqual(
    refusal("Email is already in use."),
  );
});

// spec 4.14: profile_data, id, value
// spec 6: custom profile field change
test("an administrator changes a user's profile, and everybody receives it", async () => {
  const realm = await newRealm();
  const [target, hamlet] = [await realm.user("target"), await realm.user("hamlet")];
  const { id } = success(await realm.admin.call(createProfileField, { field_type: 1, name: "Likes" }));
  const queue = await hamlet.register(["realm_user"]);

  success(await realm.admin.call(updateUser, { user_id: target.id, profile_data: [{ id, value: "**tea**" }] }));
  success(await realm.admin.call(updateUser, { user_id: target.id, profile_data: [{ id, value: "**tea**" }] }));
  success(await realm.admin.call(updateUser, { user_id: target.id, profile_data: [{ id, value: "" }] }));

  const rendered_value = "<p><strong>tea</strong></p>";
  expect(await queue.next()).toEqual({
    type: "realm_user",
    op: "update",
    person: { user_id: target.id, custom_profile_field: { id, value: "**tea**", rendered_value } },
  });
  expect(await queue.next()).toMatchObject({ person: { custom_profile_field: { id, value: null } } });
});

// spec 4.8: email, dummy address
test("a user can be addressed by an e-mail address the administrator may see, or by the placeholder", async () => {
  const realm = await newRealm();
  const shy = await realm.user("shy");
  await realm.ctx.db.updateTable("users").set({ email_address_visibility: 4 }).where("id", "=", shy.id).execute();
  const byAddress = (email: string, full_name: string) => realm.admin.call(updateUserByEmail, { email, full_name });

  expect(await byAddress(shy.email, "Seen")).toEqual(refusal("No such user"));
  expect(await byAddress(`user${shy.id}@${realm.host}`, "By Dummy")).toEqual({ result: "success", msg: "" });
  expect((await byAddress(realm.admin.email.toUpperCase(), "By Address")).result).toBe("success");

  const { members } = success(await shy.call(getUsers, {}));
  expect(members.map((member) => member.full_name)).toEqual(["By Address", "By Dummy"]);
});

test("a permission revoked on one node is gone on the other once the response arrives", async () => {
  const realm = await newRealm();
  const administrator = await realm.user("administrator", { role: 200 });
  const target = await realm.user("target");

  for (let round = 0; round < 10; round++) {
    success(await administrator.on(round).call(updateUser, { user_id: target.id, full_name: `Name ${round}` }));
    success(await realm.admin.on(round).call(updateUser, { user_id: administrator.id, role: 400 }));
    expect(await administrator.on(round + 1).call(updateUser, { user_id: target.id, full_name: "No" })).toEqual(
      refusal("Insufficient permission"),
    );
    success(await realm.admin.on(round).call(updateUser, { user_id: administrator.id, role: 200 }));
  }
});

test("only the affected users receive channels that appear with a role", async () => {
  const realm = await newRealm();
  const [target, hamlet] = [await realm.user("target"), await realm.user("hamlet")];
  await newChannel(realm.admin, "hidden", { invite_only: true });
  const queues = [await target.register(["stream"]), await hamlet.register(["stream"])];

  success(await realm.admin.call(updateUser, { user_id: target.id, role: 200 }));

  const [own = [], others] = await eventsUntilNow(realm, queues);
  expect(own).toMatchObject([{ type: "stream", op: "create", streams: [{ name: "hidden" }] }]);
  expect(others).toEqual([]);
});
