import { getChannel, getChannels } from "@skein/api/channels.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { only } from "../../../test/groups.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../../test/realm.ts";

async function channelId(user: TestUser, name: string): Promise<number> {
  const { streams } = success(await user.call(getChannels, { include_all: true }));
  const found = streams.find((stream) => stream.name === name);
  if (!found) throw new Error(`${user.fullName} sees no channel ${name}`);
  return found.stream_id;
}

async function allowWebPublic(realm: TestRealm): Promise<void> {
  await realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", realm.id).execute();
}

const kinds = {
  "web-public": { is_web_public: true },
  public: {},
  "private with shared history": { invite_only: true, history_public_to_subscribers: true },
  "private with protected history": { invite_only: true },
};

const readers = [
  "member",
  "guest",
  "named guest",
  "subscriber",
  "subscribed guest",
  "administrator",
  "adder",
  "joiner",
  "manager",
] as const;
type Reader = (typeof readers)[number];

const closed: { metadata: Reader[]; content: Reader[] } = {
  metadata: ["subscriber", "subscribed guest", "administrator", "adder", "joiner", "manager"],
  content: ["subscriber", "subscribed guest", "adder", "joiner"],
};
const open: Reader[] = ["member", "subscriber", "subscribed guest", "administrator", "adder", "joiner", "manager"];
const expected: Record<keyof typeof kinds, { metadata: readonly Reader[]; content: readonly Reader[] }> = {
  "web-public": { metadata: readers, content: readers },
  public: { metadata: open, content: open },
  "private with shared history": closed,
  "private with protected history": closed,
};

// spec 4.10: include_all, include_can_access_content, include_public, include_subscribed
// spec 4.24: stream_id, error BAD_REQUEST
test.for(Object.keys(kinds) as (keyof typeof kinds)[])("metadata and content access to a %s channel", async (kind) => {
  const realm = await newRealm();
  await allowWebPublic(realm);
  const people: Record<string, TestUser> = {};
  for (const name of readers)
    people[name] = await realm.user(name, {
      role: name.includes("guest") ? 600 : name === "administrator" ? 200 : 400,
    });
  const person = (name: string) => people[name] ?? realm.admin;
  success(
    await realm.admin.call(subscribe, {
      subscriptions: [{ name: "elsinore" }],
      principals: [person("subscriber").id, person("subscribed guest").id],
      can_add_subscribers_group: only(person("adder"), person("named guest")),
      can_subscribe_group: only(person("joiner"), person("named guest")),
      can_administer_channel_group: only(person("manager"), person("named guest")),
      ...kinds[kind],
    }),
  );
  const id = await channelId(realm.admin, "elsinore");

  const known: string[] = [];
  const readable: string[] = [];
  for (const [name, user] of Object.entries(people)) {
    const one = await user.call(getChannel, { stream_id: id });
    const listed = success(await user.call(getChannels, { include_all: true }));
    expect(listed.streams.some((stream) => stream.stream_id === id)).toBe(one.result === "success");
    if (one.result === "success") known.push(name);
    const content = success(
      await user.call(getChannels, {
        include_can_access_content: true,
        include_public: false,
        include_subscribed: false,
      }),
    );
    if (content.streams.some((stream) => stream.stream_id === id)) readable.push(name);
  }

  expect(known.toSorted()).toEqual(expected[kind].metadata.toSorted());
  expect(readable.toSorted()).toEqual(expected[kind].content.toSorted());
});

// spec 4.24: stream, error BAD_REQUEST
test("a channel without access and a nonexistent channel give the same error", async () => {
  const realm = await newRealm();
  const stranger = await realm.user("stranger");
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "secret" }], invite_only: true }));
  const hidden = await stranger.call(getChannel, { stream_id: await channelId(realm.admin, "secret") });

  expect(hidden).toEqual(await stranger.call(getChannel, { stream_id: 999_999_999 }));
  expect(hidden).toEqual({ result: "error", msg: "Invalid channel ID", code: "BAD_REQUEST" });
});

test("another organization's channels do not exist, not even for its owner", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "here" }] }));
  const id = await channelId(realm.admin, "here");

  expect(await other.admin.call(getChannel, { stream_id: id })).toMatchObject({ msg: "Invalid channel ID" });
  expect(success(await other.admin.call(getChannels, { include_all: true })).streams).toEqual([]);
  success(await other.admin.call(subscribe, { subscriptions: [{ name: "here" }] }));
  expect(await channelId(other.admin, "here")).not.toBe(id);
});

// spec 4.10: include_public, include_subscribed, include_owner_subscribed, include_all_active, streams
test("GET /streams lists the union of what is requested", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "mine" }], invite_only: true }));
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "open" }] }));
  const list = async (params: Parameters<typeof hamlet.call<typeof getChannels>>[1]) =>
    success(await hamlet.call(getChannels, params)).streams.map((stream) => stream.name);

  expect(await list({})).toEqual(["mine", "open"]);
  expect(await list({ include_public: false })).toEqual(["mine"]);
  expect(await list({ include_subscribed: false })).toEqual(["open"]);
  expect(await list({ include_subscribed: false, include_public: false })).toEqual([]);
  expect(await list({ include_owner_subscribed: true, include_subscribed: false, include_public: false })).toEqual([]);
  expect(await hamlet.call(getChannels, { include_all_active: true })).toMatchObject({
    msg: "Insufficient permission",
  });
});

// spec 2.2: stream_id, name, description, rendered_description, date_created, creator_id, invite_only, is_web_public, is_archived, is_recently_active, is_announcement_only, stream_post_policy, message_retention_days, history_public_to_subscribers, first_message_id, stream_weekly_traffic, can_add_subscribers_group, can_remove_subscribers_group, can_administer_channel_group, can_send_message_group, can_subscribe_group
// spec 4.3: description
// spec 4.24: stream, stream_id
test("a new channel has the documented fields and defaults", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "castle", description: "Stone\nand **mortar**" }] }));
  const stream_id = await channelId(hamlet, "castle");
  const groups = await realm.ctx.db
    .selectFrom("user_groups")
    .select(["id", "name"])
    .where("realm_id", "=", realm.id)
    .execute();
  const group = (name: string) => groups.find((candidate) => candidate.name === name)?.id;

  const { stream } = success(await hamlet.call(getChannel, { stream_id }));

  expect(stream).toMatchObject({
    stream_id,
    name: "castle",
    description: "Stone and **mortar**",
    creator_id: hamlet.id,
    invite_only: false,
    is_web_public: false,
    is_archived: false,
    is_recently_active: true,
    is_announcement_only: false,
    stream_post_policy: 1,
    message_retention_days: null,
    history_public_to_subscribers: true,
    first_message_id: null,
    stream_weekly_traffic: null,
    can_add_subscribers_group: group("role:nobody"),
    can_administer_channel_group: only(hamlet),
    can_remove_subscribers_group: group("role:administrators"),
    can_send_message_group: group("role:everyone"),
    can_subscribe_group: group("role:nobody"),
  });
  expect(stream).not.toHaveProperty("is_default");
});

// spec 4.10: include_web_public, include_default, include_owner_subscribed
// spec 2.2: is_default
test("web-public channels, default channels and those of a bot's owner are listed on request", async () => {
  const realm = await newRealm();
  await allowWebPublic(realm);
  const [hamlet, bot, guest] = [
    await realm.user("hamlet"),
    await realm.user("bot"),
    await realm.user("guest", { role: 600 }),
  ];
  await sql`update users set is_bot = true, bot_type = 1, bot_owner_id = ${hamlet.id} where id = ${bot.id}`.execute(
    realm.ctx.db,
  );
  success(await hamlet.call(subscribe, { subscriptions: [{ name: "closet" }], invite_only: true }));
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "square" }], is_web_public: true }));
  success(await realm.admin.call(subscribe, { subscriptions: [{ name: "hall" }], is_default_stream: true }));
  const nothing = { include_public: false, include_subscribed: false };
  const list = async (user: TestUser, params: Parameters<typeof user.call<typeof getChannels>>[1]) =>
    success(await user.call(getChannels, { ...nothing, ...params })).streams.map((stream) => stream.name);

  expect(await list(guest, { include_web_public: true })).toEqual(["square"]);
  expect(await list(guest, { include_public: true })).toEqual([]);
  expect(await list(hamlet, { include_web_public: true })).toEqual(["square"]);
  expect(await list(bot, { include_owner_subscribed: true })).toEqual(["closet"]);
  expect(await list(bot, { include_all: true })).toEqual(["square", "hall"]);
  const { streams } = success(await hamlet.call(getChannels, { include_default: true }));
  expect(streams.map(({ name, is_default }) => [name, is_default])).toEqual([
    ["closet", false],
    ["square", false],
    ["hall", true],
  ]);
});
