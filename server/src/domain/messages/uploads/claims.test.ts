import { updateChannel } from "@skein/api/channels.ts";
import { deleteMessage } from "@skein/api/deletion.ts";
import { updateMessage } from "@skein/api/edits.ts";
import { sendMessage } from "@skein/api/messages.ts";
import { getAttachments, removeAttachment } from "@skein/api/uploads.ts";
import { unsubscribe } from "@skein/api/subscriptions.ts";
import sharp from "sharp";
import { expect, test } from "vitest";
import { fetchAs, statusFor, uploadAs } from "../../../../test/files.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, messageFor, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const pathIdOf = (url: string): string => url.slice("/user_uploads/".length);
const linkTo = (url: string): string => `see [this](${url})`;
const carriedBy = async (owner: TestUser): Promise<number[][]> =>
  success(await owner.call(getAttachments, {})).attachments.map(({ messages }) => messages.map(({ id }) => id));

const edit = async (editor: TestUser, message_id: number, urls: string[]) => {
  const content = urls.map(linkTo).join("\n");
  return success(await editor.call(updateMessage, { message_id, content })).detached_uploads;
};

test("everybody who can read a message that carries a file may fetch it, and nobody else", async () => {
  const realm = await newRealm();
  const [hamlet, reader, outsider] = [await realm.user("hamlet"), await realm.user("reader"), await realm.user("out")];
  const guest = await realm.user("guest", { role: 600 });
  const stranger = (await newRealm()).admin;
  const secret = await channelOf([hamlet, reader], "secret", { isPrivate: true });
  const open = await channelOf([hamlet], "open");
  const [kept, shown, told] = [await uploadAs(hamlet), await uploadAs(hamlet), await uploadAs(hamlet)];

  await sendToChannel(hamlet, secret, { content: linkTo(kept) });
  await sendToChannel(hamlet, open, { content: linkTo(shown) });
  await sendDirect(hamlet, [guest], { content: linkTo(told) });

  const who = [hamlet, reader, outsider, guest, realm.admin, stranger];
  const statuses = async (url: string) => Promise.all(who.map((user) => statusFor(user, url)));
  expect(await statuses(kept)).toEqual([200, 200, 404, 404, 404, 404]);
  expect(await statuses(shown)).toEqual([200, 200, 200, 404, 200, 404]);
  expect(await statuses(told)).toEqual([200, 404, 404, 200, 404, 404]);
});

test("a user who leaves a private channel loses access to its files, on every node at once", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const channel = await channelOf([hamlet, reader], "secret", { isPrivate: true });
  const url = await uploadAs(hamlet);
  await sendToChannel(hamlet, channel, { content: linkTo(url) });
  expect(await statusFor(reader, url)).toBe(200);

  success(await hamlet.call(unsubscribe, { subscriptions: [channel.name], principals: [reader.id] }));

  expect(await Promise.all(Array.from({ length: 4 }, () => statusFor(reader, url)))).toEqual([404, 404, 404, 404]);
});

test("where history is protected, its files are, too", async () => {
  const realm = await newRealm();
  const [hamlet, reader, late] = [await realm.user("hamlet"), await realm.user("reader"), await realm.user("late")];
  const options = { isPrivate: true, hasSharedHistory: false };
  const channel = await channelOf([hamlet, reader], "secret", options);
  const url = await uploadAs(hamlet);
  await sendToChannel(hamlet, channel, { content: linkTo(url) });

  await channelOf([hamlet, late], "secret", options);

  expect([await statusFor(reader, url), await statusFor(late, url)]).toEqual([200, 404]);
});

test("a moved message takes its files along, and a deleted one takes away access", async () => {
  const realm = await newRealm();
  const [hamlet, reader, keeper] = [
    await realm.user("hamlet", { role: 200 }),
    await realm.user("reader"),
    await realm.user("keeper"),
  ];
  const from = await channelOf([hamlet, reader], "from", { isPrivate: true });
  const to = await channelOf([hamlet, keeper], "to", { isPrivate: true });
  const url = await uploadAs(hamlet);
  const id = await sendToChannel(hamlet, from, { content: linkTo(url) });
  const statuses = async () => Promise.all([hamlet, reader, keeper].map((user) => statusFor(user, url)));

  success(await hamlet.call(updateMessage, { message_id: id, stream_id: to.id }));
  expect(await statuses()).toEqual([200, 404, 200]);

  success(await hamlet.call(deleteMessage, { message_id: id }));
  expect(await statuses()).toEqual([200, 404, 404]);
  expect(await carriedBy(hamlet)).toEqual([[]]);
});

test("naming a file the sender may not fetch gives nobody access", async () => {
  const realm = await newRealm();
  const [hamlet, thief] = [await realm.user("hamlet"), await realm.user("thief")];
  const other = await newRealm();
  const url = await uploadAs(hamlet);

  await sendDirect(thief, [thief], { content: linkTo(url) });
  await sendDirect(other.admin, [other.admin], { content: linkTo(url) });

  expect(await statusFor(thief, url)).toBe(404);
  expect(await statusFor(other.admin, url)).toBe(404);
  expect(await carriedBy(hamlet)).toEqual([[]]);
});

test("users who may fetch a file can share it; its owner gets events only about messages the owner can read", async () => {
  const realm = await newRealm();
  const [hamlet, reader, friend] = [await realm.user("hamlet"), await realm.user("reader"), await realm.user("friend")];
  const open = await channelOf([hamlet, reader], "open");
  const url = await uploadAs(hamlet);
  const queue = await hamlet.register(["attachment"]);

  const first = await sendToChannel(hamlet, open, { content: linkTo(url) });
  await sendDirect(reader, [friend], { content: linkTo(url) });
  const third = await sendToChannel(reader, open, { content: `${linkTo(url)} and ${linkTo(url)}` });

  const update = (ids: number[]) => ({
    type: "attachment",
    op: "update",
    attachment: expect.objectContaining({ messages: ids.map((id) => ({ id, date_sent: expect.any(Number) })) }),
    upload_space_used: 5,
  });
  expect(await queue.next()).toEqual(update([first]));
  expect(await queue.next()).toEqual(update([first, third]));
  expect(await queue.all()).toEqual([]);
  expect(await statusFor(friend, url)).toBe(200);
  expect(await carriedBy(hamlet)).toEqual([[first, third]]);
});

test("a URL with the organization's own host carries the file as well", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const url = await uploadAs(hamlet);

  await sendDirect(hamlet, [reader], { content: `http://${realm.host}${url}` });

  expect(await statusFor(reader, url)).toBe(200);
});

test("an edit adds and removes files; the response lists the editor's files that no message carries any more", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const channel = await channelOf([hamlet, reader], "open");
  const [kept, dropped, elsewhere, foreign, added] = [
    await uploadAs(hamlet, { name: "kept.txt" }),
    await uploadAs(hamlet, { name: "dropped.txt" }),
    await uploadAs(hamlet, { name: "elsewhere.txt" }),
    await uploadAs(reader, { name: "foreign.txt" }),
    await uploadAs(hamlet, { name: "added.txt" }),
  ];
  await sendToChannel(reader, channel, { content: linkTo(foreign) });
  await sendDirect(hamlet, [hamlet], { content: linkTo(elsewhere) });
  const id = await sendToChannel(hamlet, channel, {
    content: [kept, dropped, elsewhere, foreign].map(linkTo).join("\n"),
  });
  const queue = await hamlet.register(["attachment"]);

  const detached = await edit(hamlet, id, [kept, added]);

  expect(detached.map(({ name, messages }) => [name, messages])).toEqual([["dropped.txt", []]]);
  const events = [await queue.next(), await queue.next(), await queue.next()];
  const names = events.map(
    (event) => event.type === "attachment" && "name" in event.attachment && event.attachment.name,
  );
  expect(names).toEqual(["dropped.txt", "elsewhere.txt", "added.txt"]);
  expect(await statusFor(reader, added)).toBe(200);
  expect(await statusFor(reader, dropped)).toBe(404);
  expect(await edit(hamlet, id, [added, kept])).toEqual([]);
});

test("files of web-public channels are open to everybody, as long as the channel is web-public", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "window");
  const closed = await channelOf([realm.admin], "room");
  const [url, hidden] = [await uploadAs(realm.admin), await uploadAs(realm.admin)];
  await sendToChannel(realm.admin, channel, { content: linkTo(url) });
  await sendToChannel(realm.admin, closed, { content: linkTo(hidden) });
  await realm.ctx.db.updateTable("realms").set({ enable_spectator_access: true }).where("id", "=", realm.id).execute();
  await realm.ctx.db.updateTable("channels").set({ is_web_public: true }).where("id", "=", channel.id).execute();

  expect([await statusFor(realm, url), await statusFor(realm, hidden)]).toEqual([200, 401]);
  success(await realm.admin.call(updateChannel, { stream_id: channel.id, is_private: true, is_web_public: false }));
  expect(await statusFor(realm, url)).toBe(401);
});

test("an image is shown by its thumbnail, which has the same access rule", async () => {
  const realm = await newRealm();
  const [hamlet, reader, outsider] = [await realm.user("hamlet"), await realm.user("reader"), await realm.user("out")];
  const picture = sharp({ create: { width: 1000, height: 800, channels: 3, background: "red" } });
  const url = await uploadAs(hamlet, { name: "a.png", type: "image/png", content: await picture.png().toBuffer() });

  const id = await sendDirect(hamlet, [reader], { content: `[a](${url})` });

  const html = (await messageFor(reader, id)).content;
  const source = `/user_uploads/thumbnail/${pathIdOf(url)}/840x560.webp`;
  expect(html).toContain(
    `<img data-original-content-type="image/png" data-original-dimensions="1000x800" src="${source}">`,
  );
  const shown = await fetchAs(reader, source);
  expect(shown.headers.get("content-type")).toBe("image/webp");
  expect(await sharp(Buffer.from(await shown.arrayBuffer())).metadata()).toMatchObject({ width: 700, height: 560 });
  expect(await statusFor(outsider, source)).toBe(404);
  expect(await statusFor(reader, source.replace("840x560", "1x1"))).toBe(404);
  expect(await statusFor(reader, source.replace(".webp", "-anim.webp"))).toBe(404);
  const { state } = await reader.register([], ["realm"]);
  expect(state.server_thumbnail_formats?.map(({ name }) => name)).toEqual(["840x560-anim.webp", "840x560.webp"]);
});

test("a message and the files it carries are stored together or not at all", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const channel = await channelOf([hamlet, reader], "open");
  const urls = await Promise.all(Array.from({ length: 5 }, () => uploadAs(hamlet)));
  const queue = await reader.register(["message"]);

  await Promise.all(
    urls.map((url) => hamlet.call(sendMessage, { type: "channel", to: channel.id, topic: "t", content: linkTo(url) })),
  );

  for (const _ of urls) {
    const { message } = await queue.nextOf("message");
    const url = urls.find((each) => message.content.includes(each)) ?? "";
    expect(await statusFor(reader, url)).toBe(200);
  }
});

test("a file that is removed while it is being sent blocks nobody", async () => {
  const realm = await newRealm();
  const [hamlet, reader] = [await realm.user("hamlet"), await realm.user("reader")];
  const urls = await Promise.all(Array.from({ length: 8 }, () => uploadAs(hamlet)));
  const { attachments } = success(await hamlet.call(getAttachments, {}));

  const answers = await Promise.all([
    ...urls.map((url) => hamlet.call(sendMessage, { type: "direct", to: [reader.id], content: linkTo(url) })),
    ...attachments.map(({ id }) => hamlet.call(removeAttachment, { attachment_id: id })),
  ]);

  expect(answers.map(({ result }) => result)).toEqual(Array.from({ length: 16 }, () => "success"));
  expect(await carriedBy(hamlet)).toEqual([]);
});
