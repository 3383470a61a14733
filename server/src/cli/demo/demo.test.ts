import { getDrafts } from "@skein/api/drafts.ts";
import { getMessages } from "@skein/api/fetch-messages.ts";
import type { MessageObject } from "@skein/api/messages.ts";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, TestUser, type TestRealm } from "../../../test/realm.ts";
import { password } from "../../../test/test-browser.ts";
import { createApiKey } from "../../domain/people/auth/api-keys.ts";
import { hashPassword } from "../../domain/people/auth/passwords.ts";
import { transaction } from "../../platform/db/transaction.ts";
import { Calendar } from "./calendar.ts";
import { listConversations } from "./conversation.ts";
import { fillWithDemo } from "./fill.ts";
import { channels, membersOf } from "./story/channels.ts";
import { people } from "./story/people.ts";

/** A Monday morning. */
const now = new Date("2026-11-16T09:00:00Z");
let realm: TestRealm;

beforeAll(async () => {
  realm = await newRealm();
  const { db } = realm.ctx;
  const password_hash = await hashPassword(password);
  await db.updateTable("users").set({ password_hash }).where("id", "=", realm.admin.id).execute();
  await fillWithDemo(realm.ctx, realm.id, { now, say: () => {} });
});

/** An API client for a user of the story. */
async function personCalled(name: string): Promise<TestUser> {
  const { db } = realm.ctx;
  const { id, delivery_email } = await db
    .selectFrom("users")
    .select(["id", "delivery_email"])
    .where("realm_id", "=", realm.id)
    .where("full_name", "=", name)
    .executeTakeFirstOrThrow();
  const key = await transaction(db, "make a test key", (tx) => createApiKey(tx, { id, realm_id: realm.id }, "test"));
  return new TestUser(realm, id, delivery_email, name, key);
}

/** All messages that the user can fetch, oldest first. */
async function readAll(user: TestUser, narrow: { operator: string; operand: string }[] = []): Promise<MessageObject[]> {
  const found: MessageObject[] = [];
  for (let isOver = false; !isOver;) {
    const anchor = found[0] ? String(found[0].id) : "newest";
    const range = { anchor, include_anchor: found.length === 0, num_before: 1000, num_after: 0 };
    const page = success(await user.call(getMessages, { ...range, narrow }));
    found.unshift(...page.messages);
    isOver = page.found_oldest;
  }
  return found;
}

test("the owner's password works for every account of the team", async () => {
  const some = Object.values(people).slice(0, 3);
  // `skein dev` and the README name Maya.
  for (const username of ["maya@example.com", ...some.map(({ mail }) => `${mail}@example.com`)]) {
    const answer = await realm.admin.request("POST", "/fetch_api_key", { username, password });
    expect(answer).toMatchObject({ result: "success", email: username });
  }
});

test("the owner finds two weeks of a team's conversations", async () => {
  const fetched =
    "realm_user subscription realm_emoji user_status drafts scheduled_messages user_topic starred_messages";
  const { state } = await realm.admin.register(undefined, fetched.split(" "));
  const messages = await readAll(realm.admin);

  expect(state.realm_users?.filter((user) => !user.is_bot)).toHaveLength(31);
  expect(state.realm_users?.filter((user) => user.is_bot)).toHaveLength(3);
  expect(state.realm_users?.every((user) => user.avatar_url !== null)).toBe(true);
  expect(state.subscriptions?.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(channels)
      .filter((name) => name !== "cake committee")
      .toSorted(),
  );
  expect(Object.keys(state.realm_emoji ?? {})).toHaveLength(3);
  expect(Object.keys(state.user_status ?? {}).length).toBeGreaterThanOrEqual(6);
  expect(state.drafts).toHaveLength(3);
  expect(success(await realm.admin.call(getDrafts, {})).count).toBe(3);
  expect(state.scheduled_messages).toHaveLength(1);
  expect(state.starred_messages?.length).toBeGreaterThanOrEqual(3);
  expect(state.user_topics?.map(({ visibility_policy }) => visibility_policy)).toEqual(expect.arrayContaining([1, 3]));
  expect(messages.length).toBeGreaterThan(900);
  expect(messages.some(({ submessages }) => submessages.length > 3)).toBe(true);
  expect(messages.some(({ last_edit_timestamp }) => last_edit_timestamp !== undefined)).toBe(true);
  expect(messages.some(({ reactions }) => reactions.length > 5)).toBe(true);
  const edits = messages.flatMap(({ edit_history = [] }) => edit_history);
  expect(edits.some(({ prev_stream }) => prev_stream !== undefined)).toBe(true);
  const resolved = messages.filter(({ subject }) => subject.startsWith("✔ "));
  expect(new Set(resolved.map(({ subject }) => subject)).size).toBeGreaterThanOrEqual(6);
  expect(await realm.admin.request("POST", "/register")).toMatchObject({ result: "success" });
});

test("all messages are from the past two weeks, in order, and rendered", async () => {
  const messages = await readAll(realm.admin);
  const times = messages.map(({ timestamp }) => timestamp);
  const html = messages.map(({ content }) => content).join("\n");

  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.at(-1)).toBeLessThan(now.getTime() / 1000);
  expect(times[0]).toBeGreaterThan(now.getTime() / 1000 - 15 * 24 * 60 * 60);
  expect(messages.filter(({ content }) => !/^<(p|ul|ol|div|table|blockquote|span)\b/.test(content))).toEqual([]);
  expect(html).not.toMatch(/\{(quote|file|time)/);
  for (const part of [
    "user-mention",
    "user-group-mention",
    "codehilite",
    "katex",
    "<table>",
    "blockquote",
    "stream-topic",
  ])
    expect(html).toContain(part);
  expect(html).toMatch(/<img[^>]*user_uploads/);
});

test("messages since the owner left are unread: a dozen topics, three mentions, two direct conversations", async () => {
  const { state } = await realm.admin.register([], ["message", "update_message_flags"]);
  const unread = state.unread_msgs;
  const topics = unread?.streams ?? [];

  expect(topics).toHaveLength(12);
  expect(unread?.mentions).toHaveLength(3);
  expect(unread?.pms.map(({ unread_message_ids }) => unread_message_ids.length)).toEqual([1, 1]);
  expect(unread?.count).toBe(59);
});

test("a guest sees only their own channels", async () => {
  const finn = await personCalled(people["finn"]?.name ?? "");

  const { state } = await finn.register(undefined, ["subscription", "stream", "realm_user"]);
  const messages = await readAll(finn);

  expect(await finn.request("POST", "/register")).toMatchObject({ result: "success" });
  const own = Object.keys(channels).filter((name) => membersOf(channels[name] ?? { description: "" }).includes("finn"));
  expect(state.subscriptions?.map(({ name }) => name).toSorted()).toEqual(own.toSorted());
  const places = messages.flatMap(({ type, display_recipient }) => (type === "stream" ? [display_recipient] : []));
  expect(new Set(places)).toEqual(new Set(own));
});

test("only subscribers can read a private channel, and search finds words", async () => {
  const malik = await personCalled("Malik Johnson");
  const sam = await personCalled("Sam Whitfield");

  const byMalik = new Set((await readAll(malik)).map(({ display_recipient }) => display_recipient));
  const found = (user: TestUser) => readAll(user, [{ operator: "search", operand: "beetroot" }]);

  for (const name of ["hiring", "leadership", "cake committee"]) expect(byMalik).not.toContain(name);
  expect((await readAll(realm.admin)).map(({ display_recipient }) => display_recipient)).not.toContain(
    "cake committee",
  );
  expect((await found(sam)).map(({ subject }) => subject)).toContain("Ten years: what kind");
  expect((await found(realm.admin)).map(({ subject }) => subject)).not.toContain("Ten years: what kind");
});

test("an organization with users is not filled", async () => {
  const other = await newRealm();
  await other.user("hamlet");

  await expect(fillWithDemo(other.ctx, other.id, { now, say: () => {} })).rejects.toThrow("already has users");
});

test.for(["2026-11-15T00:10:00Z", "2026-11-18T23:50:00Z", "2026-11-21T12:00:00Z", "2028-02-29T06:00:00Z"])(
  "the story is the same whenever it is told: %s",
  async (when) => {
    const calendar = new Calendar(new Date(when));
    const conversations = await listConversations(calendar);

    const lines = conversations.flatMap((conversation) => conversation.lines);
    const topics = conversations.flatMap(({ place }) =>
      "channel" in place ? [`${place.channel} > ${place.topic}`] : [],
    );
    expect(new Set(topics).size).toBe(topics.length);
    expect(topics.length).toBeGreaterThanOrEqual(150);
    expect(lines.filter(({ at }) => at > calendar.ownerLeft)).toHaveLength(59);
    expect(lines.filter(({ at }) => at > calendar.now)).toEqual([]);
    const strangers = conversations.flatMap(({ place, lines: said }) => {
      const members = "channel" in place ? membersOf(channels[place.channel] ?? { description: "" }) : place.people;
      const concerned = said.flatMap((line) => [
        line.by,
        ...[...line.reactions, ...line.votes].flatMap(({ by }) => by),
      ]);
      return concerned.filter((key) => !members.includes(key));
    });
    expect(strangers).toEqual([]);
    expect(lines.filter(({ text }) => text === "")).toEqual([]);
    expect(conversations.every(({ place }) => "people" in place || place.topic.length <= 58)).toBe(true);
    expect(new Set(lines.map(({ by }) => by)).size).toBeGreaterThanOrEqual(Object.keys(people).length);
  },
);
