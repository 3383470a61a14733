import { getChannels, updateChannel } from "@skein/api/channels.ts";
import {
  addDefaultChannel,
  createDefaultChannelGroup,
  removeDefaultChannel,
  removeDefaultChannelGroup,
  updateDefaultChannelGroup,
  updateDefaultChannelGroupChannels,
} from "@skein/api/default-channels.ts";
import { expect, test } from "vitest";
import { newRealm, success, type TestRealm } from "../../../../test/realm.ts";
import { channelOf } from "../../../../test/actions.ts";

const mustAdminister = { msg: "Must be an organization administrator", code: "BAD_REQUEST" };

async function groupsOf(realm: TestRealm) {
  const { state } = await realm.admin.register([], ["default_stream_groups"]);
  return state.realm_default_stream_groups ?? [];
}

test("administrators choose the default channels, and everyone except guests receives the full list", async () => {
  const realm = await newRealm();
  const [administrator, member, guest] = [
    await realm.user("administrator", { role: 200 }),
    await realm.user("member"),
    await realm.user("guest", { role: 600 }),
  ];
  const [hall, yard] = [await channelOf([member], "hall"), await channelOf([member], "yard")];
  const queue = await member.register(["default_streams"]);
  const silent = await guest.register(["default_streams", "user_status", "stream"], ["default_streams"]);

  success(await administrator.call(addDefaultChannel, { stream_id: yard.id }));
  success(await administrator.call(addDefaultChannel, { stream_id: yard.id }));
  success(await administrator.call(updateChannel, { stream_id: hall.id, is_default_stream: true }));
  success(await administrator.call(removeDefaultChannel, { stream_id: yard.id }));

  const events = [await queue.next(), await queue.next(), await queue.next()];
  expect(events).toEqual([
    { type: "default_streams", default_streams: [yard.id] },
    { type: "default_streams", default_streams: [hall.id, yard.id] },
    { type: "default_streams", default_streams: [hall.id] },
  ]);
  expect(silent.state.realm_default_streams).toEqual([]);
  expect(await silent.all()).toEqual([]);
  const { streams } = success(await member.call(getChannels, { include_default: true }));
  expect(streams.map(({ is_default }) => is_default)).toEqual([true, false]);
});

test("members cannot change default channels, and some channels cannot be default", async () => {
  const realm = await newRealm();
  const other = await newRealm();
  const member = await realm.user("member");
  const [hall, closet, own] = [
    await channelOf([member], "hall"),
    await channelOf([member], "closet", { isPrivate: true }),
    await channelOf([realm.admin], "own", { isPrivate: true }),
  ];
  const add = (stream_id: number) => realm.admin.call(addDefaultChannel, { stream_id });

  expect(await member.call(addDefaultChannel, { stream_id: hall.id })).toMatchObject(mustAdminister);
  expect(await member.call(removeDefaultChannel, { stream_id: hall.id })).toMatchObject(mustAdminister);
  expect(await member.call(updateChannel, { stream_id: hall.id, is_default_stream: true })).toMatchObject({
    msg: "Insufficient permission",
  });
  expect(await add(closet.id)).toMatchObject({ msg: "Invalid channel ID" });
  expect(await add(own.id)).toMatchObject({ msg: "Private channels cannot be made default." });
  expect(await other.admin.call(addDefaultChannel, { stream_id: hall.id })).toMatchObject({
    msg: "Invalid channel ID",
  });
});

test("after concurrent changes on two nodes the last event lists the stored default channels", async () => {
  const realm = await newRealm();
  const channels = await Promise.all(Array.from({ length: 6 }, (_, i) => channelOf([realm.admin], `channel ${i}`)));
  const queue = await realm.admin.register(["default_streams"]);

  await Promise.all(channels.map((channel, i) => realm.admin.on(i).call(addDefaultChannel, { stream_id: channel.id })));

  const events = [];
  for (const _ of channels) events.push(await queue.nextOf("default_streams"));
  expect(events.map(({ default_streams }) => default_streams.length)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("channel groups are created, changed and removed, and everyone except guests receives the full list", async () => {
  const realm = await newRealm();
  const member = await realm.user("member");
  const [hall, yard] = [await channelOf([member], "hall"), await channelOf([member], "yard")];
  const queue = await member.register(["default_stream_groups"], ["default_stream_groups"]);
  const next = async () => (await queue.nextOf("default_stream_groups")).default_stream_groups;
  const { admin } = realm;

  success(
    await admin.call(createDefaultChannelGroup, { group_name: "players", description: "act", stream_names: ["hall"] }),
  );
  const [made] = await next();
  expect(made).toMatchObject({ name: "players", description: "act", streams: [hall.id] });
  const group_id = made?.id ?? 0;
  const streams = (op: string, ...stream_names: string[]) =>
    admin.call(updateDefaultChannelGroupChannels, { group_id, op, stream_names });
  success(await streams("add", "Yard"));
  expect(await next()).toMatchObject([{ streams: [hall.id, yard.id] }]);
  success(await streams("remove", "hall"));
  expect(await next()).toMatchObject([{ streams: [yard.id] }]);
  success(await admin.call(updateDefaultChannelGroup, { group_id, new_group_name: "actors", new_description: "" }));
  const after = await next();
  expect(after).toMatchObject([{ name: "actors", description: "", streams: [yard.id] }]);
  expect(await groupsOf(realm)).toEqual(after);
  success(await admin.call(removeDefaultChannelGroup, { group_id }));
  expect(await next()).toEqual([]);
});

test("invalid channel groups are refused, and members cannot create one", async () => {
  const realm = await newRealm();
  const member = await realm.user("member");
  const [hall] = [await channelOf([member], "hall"), await channelOf([member], "yard")];
  const { admin } = realm;
  success(await admin.call(addDefaultChannel, { stream_id: hall.id }));
  const create = async (group_name: string, stream_names: string[], user = admin) =>
    (await user.call(createDefaultChannelGroup, { group_name, description: "", stream_names })).msg;

  expect(await create("players", [], member)).toBe(mustAdminister.msg);
  expect(await create("players", ["hall"])).toBe("'hall' is a default channel and cannot be added to 'players'");
  expect(await create("players", ["nowhere"])).toBe("Invalid channel name 'nowhere'");
  expect(await create("  ", [])).toBe("Invalid default channel group name ''");
  expect(await create("players", ["yard"])).toBe("");
  expect(await create("players", [])).toBe("Default channel group 'players' already exists");
  const group_id = (await groupsOf(realm))[0]?.id ?? 0;
  const streams = async (op: string, name: string) =>
    (await admin.call(updateDefaultChannelGroupChannels, { group_id, op, stream_names: [name] })).msg;
  expect(await streams("add", "yard")).toBe("Channel 'yard' is already present in default channel group 'players'");
  expect(await streams("remove", "hall")).toBe("Channel 'hall' is not present in default channel group 'players'");
  expect(await streams("keep", "hall")).toBe('Invalid value for "op". Specify one of "add" or "remove".');
  expect(await admin.call(updateDefaultChannelGroup, { group_id })).toMatchObject({
    msg: 'You must pass "new_description" or "new_group_name".',
  });
  expect(await admin.call(updateDefaultChannelGroup, { group_id, new_group_name: "players" })).toMatchObject({
    msg: "This default channel group is already named 'players'",
  });
  expect(await admin.call(removeDefaultChannelGroup, { group_id: 999_999_999 })).toMatchObject({
    msg: "Default channel group with id '999999999' does not exist.",
  });
  const other = await newRealm();
  expect(await other.admin.call(removeDefaultChannelGroup, { group_id })).toMatchObject({ result: "error" });
});
