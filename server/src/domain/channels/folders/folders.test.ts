/** Channel folders, from creation to archiving, and channels in them. */
import {
  createChannelFolder,
  getChannelFolders,
  reorderChannelFolders,
  updateChannelFolder,
} from "@skein/api/channel-folders.ts";
import { createChannel, getChannel, updateChannel } from "@skein/api/channels.ts";
import { subscribe } from "@skein/api/subscriptions.ts";
import { expect, test } from "vitest";
import { channelOf } from "../../../../test/actions.ts";
import { eventsUntilNow } from "../../../../test/events-until.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";

const make = async (user: TestUser, name: string, description = "") =>
  success(await user.call(createChannelFolder, { name, description })).channel_folder_id;
const list = async (user: TestUser, include_archived = false) =>
  success(await user.call(getChannelFolders, { include_archived })).channel_folders;
const refusal = (msg: string) => ({ result: "error", msg, code: "BAD_REQUEST" });

test("administrators create, change, reorder and archive folders, and everybody follows", async () => {
  const realm = await newRealm();
  const [member, guest] = [await realm.user("member"), await realm.user("guest", { role: 600 })];
  const queues = await Promise.all(
    [member, guest].map((user) => user.register(["channel_folder", "stream", "subscription"], ["channel_folders"])),
  );
  expect(queues[0]?.state.channel_folders).toEqual([]);

  const one = await make(realm.admin, " One ", "With *style*");
  const two = await make(realm.admin, "Two");
  const change = (user: TestUser, params: object) =>
    user.call(updateChannelFolder, { channel_folder_id: one, ...params });
  success(await change(realm.admin, { name: "Uno", description: "With *style*" }));
  success(await change(realm.admin, { description: "**New**" }));
  success(await change(realm.admin, { name: "Uno" }));
  success(await realm.admin.call(reorderChannelFolders, { order: [two, one] }));
  success(await change(realm.admin, { is_archived: true }));

  const folder = {
    id: one,
    name: "One",
    description: "With *style*",
    rendered_description: "<p>With <em>style</em></p>",
    date_created: expect.any(Number),
    creator_id: realm.admin.id,
    is_archived: false,
    order: one,
  };
  const about = { type: "channel_folder", op: "update", channel_folder_id: one };
  const second = { ...folder, id: two, name: "Two", description: "", rendered_description: "", order: two };
  const expected = [
    { type: "channel_folder", op: "add", channel_folder: folder },
    { type: "channel_folder", op: "add", channel_folder: second },
    { ...about, data: { name: "Uno" } },
    { ...about, data: { description: "**New**", rendered_description: "<p><strong>New</strong></p>" } },
    { type: "channel_folder", op: "reorder", order: [two, one] },
    { ...about, data: { is_archived: true } },
  ];
  expect(await eventsUntilNow(realm, queues)).toEqual([expected, expected]);
  expect((await list(guest)).map(({ id }) => id)).toEqual([two]);
  expect((await list(guest, true)).map(({ id, order }) => [id, order])).toEqual([
    [two, 0],
    [one, 1],
  ]);
  const { state } = await member.register([], ["channel_folders"]);
  expect(state.channel_folders?.map(({ id, is_archived }) => [id, is_archived])).toEqual([
    [two, false],
    [one, true],
  ]);

  const onlyAdministrators = refusal("Must be an organization administrator");
  expect(await change(member, { name: "x" })).toEqual(onlyAdministrators);
  expect(await member.call(createChannelFolder, { name: "x" })).toEqual(onlyAdministrators);
  expect(await member.call(reorderChannelFolders, { order: [one, two] })).toEqual(onlyAdministrators);
  expect(await realm.admin.call(createChannelFolder, { name: "TWO" })).toEqual(
    refusal("Channel folder name already in use"),
  );
  expect(await realm.admin.call(createChannelFolder, { name: " " })).toEqual(
    refusal("Channel folder name can't be empty."),
  );
  expect(await realm.admin.call(createChannelFolder, { name: "a\u0007" })).toEqual(
    refusal("Invalid character in channel folder name, at position 2."),
  );
  expect(await realm.admin.call(reorderChannelFolders, { order: [two] })).toEqual(refusal("Invalid order mapping."));
  expect(await realm.admin.call(reorderChannelFolders, { order: [two, two] })).toEqual(
    refusal("Invalid order mapping."),
  );
  // An archived folder's name is free, until the folder comes back.
  await make(realm.admin, "UNO");
  expect(await change(realm.admin, { is_archived: false })).toEqual(refusal("Channel folder name already in use"));
  success(await change(realm.admin, { is_archived: false, name: "One again" }));
  success(await change(realm.admin, { description: "https://example.com/a.png" }));
  const [, described] = await list(member);
  expect(described?.rendered_description).toBe(
    '<p><a href="https://example.com/a.png">https://example.com/a.png</a></p>',
  );
});

test("who administers a channel puts it into a folder; a folder that holds channels is not archived", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const [maker, member] = [await realm.user("maker"), await realm.user("member")];
  const channel = await channelOf([maker, member], "court");
  const [folder, foreign] = [await make(realm.admin, "One"), await make(other.admin, "One")];
  const move = (user: TestUser, folder_id: number | null) =>
    user.call(updateChannel, { stream_id: channel.id, folder_id });
  const folderOf = async (id: number) => success(await member.call(getChannel, { stream_id: id })).stream.folder_id;
  const invalid = refusal("Invalid channel folder ID");
  expect(await folderOf(channel.id)).toBeNull();

  const queue = await member.register(["stream"]);
  success(await move(maker, folder));
  expect(await folderOf(channel.id)).toBe(folder);
  expect(await move(member, null)).toMatchObject({ msg: "You do not have permission to administer this channel." });
  expect(await move(maker, foreign)).toEqual(invalid);
  expect(await maker.call(subscribe, { subscriptions: [{ name: "new" }], folder_id: foreign })).toEqual(invalid);
  const archive = () => realm.admin.call(updateChannelFolder, { channel_folder_id: folder, is_archived: true });
  expect(await archive()).toEqual(refusal("You need to remove all the channels from this folder to archive it."));
  success(await move(realm.admin, null));
  const about = { type: "stream", op: "update", stream_id: channel.id, name: "court", property: "folder_id" };
  expect(await queue.next()).toEqual({ ...about, value: folder });
  expect(await queue.next()).toEqual({ ...about, value: null });

  const { id } = success(
    await maker.call(createChannel, { name: "made", subscribers: [member.id], folder_id: folder }),
  );
  expect(await folderOf(id)).toBe(folder);
  success(await maker.call(updateChannel, { stream_id: id, folder_id: null }));
  success(await archive());
  expect(await move(maker, folder)).toEqual(invalid);
  expect(await other.admin.call(updateChannelFolder, { channel_folder_id: folder, name: "x" })).toEqual(invalid);
});
