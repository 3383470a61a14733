import { deactivateCustomEmoji, getCustomEmoji } from "@skein/api/emoji.ts";
import { getMessage, sendMessage } from "@skein/api/messages.ts";
import sharp from "sharp";
import { beforeAll, expect, test } from "vitest";
import { newRealm, success, type TestRealm, type TestUser } from "../../../../test/realm.ts";
import { statementsOf } from "../../../../test/statements.ts";

let still: Buffer;
let moving: Buffer;
beforeAll(async () => {
  still = await sharp({ create: { width: 200, height: 100, channels: 3, background: { r: 255, g: 0, b: 0 } } })
    .png()
    .toBuffer();
  const frames = Buffer.concat(Array.from({ length: 3 }, (_, index) => Buffer.alloc(100 * 100 * 3, index * 80)));
  moving = await sharp(frames, { raw: { width: 100, height: 300, channels: 3, pageHeight: 100 } })
    .gif()
    .toBuffer();
});

const done = { result: "success", msg: "" };
const add = (user: TestUser, name: string, file = still) =>
  user.upload(`/realm/emoji/${encodeURIComponent(name)}`, { "x.png": file });
const list = async (user: TestUser) => Object.values(success(await user.call(getCustomEmoji, {})).emoji);
const remove = (user: TestUser, emoji_name: string) => user.call(deactivateCustomEmoji, { emoji_name });
const get = (realm: TestRealm, path: string, node = 0) => fetch((realm.nodes[node]?.url ?? "") + path);

async function render(user: TestUser, content: string): Promise<string> {
  const { id } = success(await user.call(sendMessage, { type: "direct", to: [user.id], content }));
  return success(await user.call(getMessage, { message_id: id })).message.content;
}

// spec 6: realm_emoji
test("a new emoji is available to everyone, resized and under a URL that cannot be guessed", async () => {
  const realm = await newRealm();
  const [hamlet, guest] = [await realm.user("hamlet"), await realm.user("guest", { role: 600 })];
  const queue = await guest.register(["realm_emoji"], ["realm_emoji"]);
  const outsider = await (await newRealm()).admin.register(["realm_emoji", "message"]);

  expect(await add(hamlet, "Green Tick")).toEqual(done);

  const [emoji] = await list(guest);
  expect(emoji).toEqual({
    id: expect.stringMatching(/^\d+$/),
    name: "green_tick",
    source_url: expect.stringMatching(new RegExp(`^/user_avatars/${realm.id}/emoji/images/[0-9a-f]{32}\\.png$`)),
    still_url: null,
    deactivated: false,
    author_id: hamlet.id,
  });
  expect(queue.state.realm_emoji).toEqual({});
  expect(await queue.next()).toEqual({ type: "realm_emoji", op: "update", realm_emoji: { [emoji?.id ?? ""]: emoji } });
  const response = await get(realm, emoji?.source_url ?? "", 1);
  expect(response.headers.get("content-type")).toBe("image/png");
  expect(response.headers.get("x-content-type-options")).toBe("nosniff");
  const picture = await sharp(Buffer.from(await response.arrayBuffer())).metadata();
  expect(picture).toMatchObject({ format: "png", width: 64, height: 64 });
  await render(outsider.user, "hi");
  expect(await outsider.next()).toMatchObject({ type: "message" });
});

test("an animated emoji stays animated and also has a still picture", async () => {
  const realm = await newRealm();

  expect(await add(realm.admin, "party", moving)).toEqual(done);

  const [emoji] = await list(realm.admin);
  const read = async (path: string | null | undefined) =>
    sharp(Buffer.from(await (await get(realm, path ?? "")).arrayBuffer())).metadata();
  expect(await read(emoji?.source_url)).toMatchObject({ format: "webp", pages: 3, width: 64 });
  expect(await read(emoji?.still_url)).toMatchObject({ format: "png", width: 64, height: 64 });
});

// spec 2.1: content
test("messages show an emoji until it is deactivated, and old messages keep showing it", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  expect(await render(hamlet, ":party:")).toBe("<p>:party:</p>");

  await add(hamlet, "party");
  const [emoji] = await list(hamlet);
  const shown = `<p><img alt=":party:" class="emoji" src="${emoji?.source_url}" title="party"></p>`;
  const { id } = success(await hamlet.on(1).call(sendMessage, { type: "direct", to: [hamlet.id], content: ":party:" }));
  expect(await render(hamlet, ":party:")).toBe(shown);
  success(await remove(hamlet, "party"));

  expect(await render(hamlet, ":party:")).toBe("<p>:party:</p>");
  expect(success(await hamlet.call(getMessage, { message_id: id })).message.content).toBe(shown);
  expect((await get(realm, emoji?.source_url ?? "")).status).toBe(200);
  expect(await list(hamlet)).toEqual([{ ...emoji, deactivated: true }]);
});

test("sending a message does not query emoji that are cached", async () => {
  const realm = await newRealm();
  await add(realm.admin, "party");
  await render(realm.admin, "first :party:");
  const send = (content: string) => () =>
    realm.admin.on(1).call(sendMessage, { type: "direct", to: [realm.admin.id], content });

  expect(await statementsOf(realm, send("again :party:"))).toBe(await statementsOf(realm, send("again")));
});

test.each([
  [" ", "Emoji name is missing"],
  ["ünïcode", "Emoji names must contain only lowercase English letters"],
  ["a:b", "Emoji names must contain only lowercase English letters"],
  ["<b>", "Emoji names must contain only lowercase English letters"],
  ["...", "Emoji names must end with either a letter or digit."],
  ["dash-", "Emoji names must end with either a letter or digit."],
  ["a".repeat(101), "emoji_name is too long (limit: 100 characters)"],
])("%j is not a valid emoji name", async (name, message) => {
  const realm = await newRealm();

  const response = await add(realm.admin, name);

  expect(response).toMatchObject({ result: "error", msg: expect.stringContaining(message) });
  expect(await list(realm.admin)).toEqual([]);
});

test("an upload must be exactly one image and not too large", async () => {
  const realm = await newRealm();
  const refusal = (msg: string, code = "BAD_REQUEST") => ({ result: "error", code, msg });
  const undecodable = refusal("Could not decode image; did you upload an image file?", "BAD_IMAGE");

  expect(await add(realm.admin, "a", Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>"))).toEqual(undecodable);
  expect(await add(realm.admin, "a", Buffer.from("<script>alert(1)</script>"))).toEqual(undecodable);
  expect(await realm.admin.upload("/realm/emoji/a", {})).toEqual(refusal("You must upload exactly one file."));
  expect(await add(realm.admin, "a", Buffer.alloc(5 * 1024 ** 2 + 1))).toEqual(
    refusal("Uploaded file is larger than the allowed limit of 5 MiB"),
  );
  expect(await add(realm.admin, "a", Buffer.alloc(25 * 1024 ** 2 + 1))).toEqual(
    refusal("Uploaded file is larger than the allowed limit of 25 MiB"),
  );
  expect(await list(realm.admin)).toEqual([]);
});

// spec 7: BAD_REQUEST
test("users without the permission cannot add emoji, and only administrators override built-in names", async () => {
  const realm = await newRealm();
  const [guest, hamlet] = [await realm.user("guest", { role: 600 }), await realm.user("hamlet")];

  expect(await add(guest, "party")).toMatchObject({ code: "BAD_REQUEST", msg: "Insufficient permission" });
  expect(await add(hamlet, "smile")).toMatchObject({ msg: "Only administrators can override default emoji." });
  expect(await add(hamlet, "zulip")).toMatchObject({ msg: "Only administrators can override default emoji." });
  expect(await add(realm.admin, "smile")).toEqual(done);
  expect(await render(hamlet, ":smile:")).toContain("<img");
});

test("only its author or an administrator deactivates an emoji", async () => {
  const realm = await newRealm();
  const [author, other] = [await realm.user("author"), await realm.user("other", { role: 300 })];
  const stranger = (await newRealm()).admin;
  await add(author, "tick-one");
  await add(author, "tick-two");
  const notThere = (name: string) => ({ code: "BAD_REQUEST", msg: `Emoji '${name}' does not exist` });

  expect(await remove(other, "tick-one")).toMatchObject({
    code: "BAD_REQUEST",
    msg: "Must be an organization administrator or emoji author",
  });
  expect(await remove(stranger, "tick-one")).toMatchObject(notThere("tick-one"));
  expect(await remove(author, "tick-three")).toMatchObject(notThere("tick-three"));
  success(await remove(author, "tick-one"));
  success(await remove(realm.admin, "tick-two"));
  expect(await remove(author, "tick-one")).toMatchObject(notThere("tick-one"));
});

test("of many concurrent additions of one name one succeeds, and applying the events gives the current emoji", async () => {
  const realm = await newRealm();
  const queue = await realm.admin.register(["realm_emoji", "message"], ["realm_emoji"]);

  const responses = await Promise.all([
    ...Array.from({ length: 4 }, () => add(realm.admin, "same")),
    add(realm.admin, "other"),
  ]);

  const taken = { msg: "A custom emoji with this name already exists." };
  expect(responses.filter(({ result }) => result === "success")).toHaveLength(2);
  for (const response of responses.filter(({ result }) => result === "error")) expect(response).toMatchObject(taken);
  expect(await add(realm.admin, "Same")).toMatchObject(taken);
  success(await remove(realm.admin, "same"));
  expect(await add(realm.admin, "same")).toEqual(done);
  const last = success(await realm.admin.call(sendMessage, { type: "direct", to: [realm.admin.id], content: "over" }));
  const { realm_emoji } = await queue.followedState(last.id);
  expect(realm_emoji).toEqual(success(await realm.admin.call(getCustomEmoji, {})).emoji);
  expect(Object.keys(realm_emoji ?? {})).toHaveLength(3);
});

test.each(["1.png", "../../secret", "%2e%2e%2fsecret", "", "00000000000000000000000000000000.png", "a.svg"])(
  "the file name %j gives 404",
  async (name) => {
    const realm = await newRealm();

    expect((await get(realm, `/user_avatars/${realm.id}/emoji/images/${name}`)).status).toBe(404);
  },
);
