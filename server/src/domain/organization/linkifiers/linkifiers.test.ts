import {
  addLinkifier,
  getLinkifiers,
  maxLinkifiers,
  removeLinkifier,
  reorderLinkifiers,
  updateLinkifier,
  type Linkifier,
} from "@skein/api/linkifiers.ts";
import { renderMessage, sendMessage } from "@skein/api/messages.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel } from "../../../../test/actions.ts";

const bug = { pattern: "#(?P<id>[0-9]+)", url_template: "https://bugs.example.org/{id}" };
const page = { pattern: "p(?P<number>[0-9]+)", url_template: "https://book.example.org/{?number}" };

const list = async (user: TestUser): Promise<Linkifier[]> => success(await user.call(getLinkifiers, {})).linkifiers;
const add = async (user: TestUser, linkifier: typeof bug): Promise<number> =>
  success(await user.call(addLinkifier, linkifier)).id;

test("a new linkifier is tried last, and everyone in the organization receives the event", async () => {
  const realm = await newRealm();
  const guest = await realm.user("guest", { role: 600 });
  const first = await add(realm.admin, bug);
  const queue = await guest.register(["realm_linkifiers"], ["realm_linkifiers"]);

  const second = await add(realm.admin, page);

  const both = [
    { id: first, ...bug },
    { id: second, ...page },
  ];
  expect(queue.state.realm_linkifiers).toEqual(both.slice(0, 1));
  expect(await queue.next()).toEqual({ type: "realm_linkifiers", realm_linkifiers: both });
  expect(await list(guest)).toEqual(both);
});

test("a changed linkifier keeps its position, and a removed one is gone", async () => {
  const realm = await newRealm();
  const first = await add(realm.admin, bug);
  const second = await add(realm.admin, page);
  const queue = await realm.admin.register(["realm_linkifiers"]);
  const changed = { pattern: "bug(?P<n>[0-9]+)", url_template: "https://bugs.example.org/{n}" };

  success(await realm.admin.call(updateLinkifier, { filter_id: first, ...changed }));
  success(await realm.admin.call(removeLinkifier, { filter_id: second }));

  const afterChange = [
    { id: first, ...changed },
    { id: second, ...page },
  ];
  expect(await queue.next()).toEqual({ type: "realm_linkifiers", realm_linkifiers: afterChange });
  expect(await queue.next()).toEqual({ type: "realm_linkifiers", realm_linkifiers: afterChange.slice(0, 1) });
  expect(await list(realm.admin)).toEqual(afterChange.slice(0, 1));
});

test("administrators choose the order, and a new order must list every linkifier once", async () => {
  const realm = await newRealm();
  const [one, two] = [await add(realm.admin, bug), await add(realm.admin, page)];
  const reorder = (ids: number[]) => realm.admin.call(reorderLinkifiers, { ordered_linkifier_ids: ids });

  success(await reorder([two, one]));

  expect((await list(realm.admin)).map(({ id }) => id)).toEqual([two, one]);
  const refusal = { msg: "The ordered list must enumerate all existing linkifiers exactly once" };
  expect(await reorder([one])).toMatchObject(refusal);
  expect(await reorder([one, two, two + 1])).toMatchObject(refusal);
  expect(await reorder([one, one, two])).toMatchObject({
    msg: "The ordered list must not contain duplicated linkifiers",
  });
});

test("only administrators change linkifiers", async () => {
  const realm = await newRealm();
  const moderator = await realm.user("moderator", { role: 300 });
  const id = await add(realm.admin, bug);
  const refusal = { result: "error", msg: "Must be an organization administrator", code: "BAD_REQUEST" };

  expect(await moderator.call(addLinkifier, page)).toMatchObject(refusal);
  expect(await moderator.call(updateLinkifier, { filter_id: id, ...page })).toMatchObject(refusal);
  expect(await moderator.call(removeLinkifier, { filter_id: id })).toMatchObject(refusal);
  expect(await moderator.call(reorderLinkifiers, { ordered_linkifier_ids: [id] })).toMatchObject(refusal);
  expect(await list(moderator)).toEqual([{ id, ...bug }]);
});

test("an organization cannot see or change another's linkifiers", async () => {
  const [realm, other] = [await newRealm(), await newRealm()];
  const id = await add(realm.admin, bug);
  const notFound = { msg: "Linkifier not found.", code: "BAD_REQUEST" };

  expect(await list(other.admin)).toEqual([]);
  expect(await other.admin.call(removeLinkifier, { filter_id: id })).toMatchObject(notFound);
  expect(await other.admin.call(updateLinkifier, { filter_id: id, ...page })).toMatchObject(notFound);
  success(await other.admin.call(reorderLinkifiers, { ordered_linkifier_ids: [] }));
  expect(await list(realm.admin)).toEqual([{ id, ...bug }]);
});

test("an invalid linkifier is rejected with the reason", async () => {
  const realm = await newRealm();
  const refusal = async (linkifier: typeof bug) => await realm.admin.call(addLinkifier, linkifier);

  expect(await refusal({ pattern: "(foo", url_template: "https://x" })).toEqual({
    result: "error",
    msg: "Bad regular expression: missing ): (foo",
    code: "BAD_REQUEST",
    errors: { pattern: ["Bad regular expression: missing ): (foo"] },
  });
  expect(await refusal({ pattern: "foo", url_template: "https://x/{" })).toMatchObject({
    msg: "Invalid URL template.",
  });
  expect(await refusal({ pattern: "foo", url_template: "https://x/{id}" })).toMatchObject({
    msg: "Group 'id' in URL template is not present in linkifier pattern.",
  });
  expect(await list(realm.admin)).toEqual([]);
});

test("no linkifier links to a scheme that could run code, whether from its template or from a topic", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  const tryToAdd = (pattern: string, url_template: string) => realm.admin.call(addLinkifier, { pattern, url_template });
  const channel = await channelOf([hamlet], "elsinore");

  for (const scheme of ["javascript", "data", "vbscript"])
    expect(await tryToAdd("#(?P<id>[0-9]+)", `${scheme}:{id}`)).toMatchObject({
      result: "error",
      errors: { url_template: [`Links to ${scheme}: URLs are not allowed`] },
    });
  success(await tryToAdd("(?P<scheme>[a-z]+)=(?P<id>[0-9]+)", "{scheme}:{id}"));
  success(await tryToAdd("#(?P<id>[0-9]+)", "mailto:{id}@example.com"));
  const id = await sendToChannel(hamlet, channel, { topic: "javascript=1 tel=2 #3" });

  expect((await messageFor(hamlet, id)).topic_links.map(({ url }) => url)).toEqual(["tel:2", "mailto:3@example.com"]);
});

test("a client without support for URL templates receives no linkifiers, neither in its state nor as events", async () => {
  const realm = await newRealm();
  await add(realm.admin, bug);
  const fetched = ["realm_linkifiers", "realm_filters"];
  const capabilities = { client_capabilities: { notification_settings_null: true } };
  const old = await realm.admin.register(["realm_linkifiers", "message"], fetched, capabilities);

  await add(realm.admin, page);
  await greet(realm);

  expect(old.state).toMatchObject({ realm_linkifiers: [], realm_filters: [] });
  expect(await old.next()).toMatchObject({ type: "message" });
});

async function greet(realm: TestRealm): Promise<number> {
  const { id } = success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "hi" }));
  return id;
}

test("no concurrent change is lost, and a client that applied the events knows the order", async () => {
  const realm = await newRealm();
  const ids = [await add(realm.admin, bug), await add(realm.admin, page)];
  const queue = await realm.admin.register(["realm_linkifiers", "message"], ["realm_linkifiers"]);

  await Promise.all([
    ...Array.from({ length: 6 }, (_, n) => add(realm.admin, { pattern: `x${n}`, url_template: "https://x" })),
    realm.admin.call(reorderLinkifiers, { ordered_linkifier_ids: ids.toReversed() }),
    realm.admin.call(removeLinkifier, { filter_id: ids[0] ?? 0 }),
  ]);

  const now = await list(realm.admin);
  expect(now).toHaveLength(7);
  const rows = await realm.ctx.db
    .selectFrom("realm_linkifiers")
    .select("position")
    .where("realm_id", "=", realm.id)
    .execute();
  expect(new Set(rows.map(({ position }) => position)).size).toBe(7);
  const followed = await queue.followedState(await greet(realm));
  expect(followed.realm_linkifiers).toEqual(now);
});

test("an organization has at most a hundred linkifiers, and their length is limited", async () => {
  const realm = await newRealm();
  await realm.ctx.db
    .insertInto("realm_linkifiers")
    .values(Array.from({ length: maxLinkifiers }, (_, position) => ({ realm_id: realm.id, position, ...bug })))
    .execute();

  expect(await realm.admin.call(addLinkifier, bug)).toMatchObject({
    result: "error",
    msg: "An organization cannot have more than 100 linkifiers.",
  });
  expect(await realm.admin.request("POST", "/realm/filters", { ...bug, pattern: "a".repeat(1001) })).toMatchObject({
    msg: "pattern is too long (limit: 1000 characters)",
  });
});

test("stored linkifiers beyond the limits are skipped, and the others still make links", async () => {
  const realm = await newRealm();
  const stored = [
    { ...bug, pattern: "(?P<id>[a-z ]{1,1000})" },
    { ...bug, pattern: `(?P<id>${"a|".repeat(2000)}b)` },
    ...Array.from({ length: maxLinkifiers }, () => bug),
  ];
  await realm.ctx.db
    .insertInto("realm_linkifiers")
    .values(stored.map((linkifier, position) => ({ realm_id: realm.id, position, ...linkifier })))
    .execute();

  const { rendered } = success(await realm.admin.call(renderMessage, { content: "see #7 a" }));

  expect(rendered).toBe('<p>see <a href="https://bugs.example.org/7">#7</a> a</p>');
});
