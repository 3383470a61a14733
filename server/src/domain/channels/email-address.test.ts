import { createBot } from "@skein/api/bots.ts";
import { getChannelEmailAddress, updateChannel } from "@skein/api/channels.ts";
import { expect, test } from "vitest";
import { only } from "../../../test/groups.ts";
import { newRealm, success } from "../../../test/realm.ts";
import { channelOf } from "../../../test/actions.ts";

test("a channel has no e-mail address, and an inaccessible channel is unknown", async () => {
  const [realm, elsewhere] = [await newRealm(), await newRealm()];
  const [member, other] = [await realm.user("member"), await realm.user("other")];
  const open = await channelOf([member], "open");
  const closed = await channelOf([member], "closed", { isPrivate: true });
  const bot = success(await member.call(createBot, { full_name: "Robot", short_name: "robot" }));
  const ask = { stream_id: open.id };

  expect(success(await member.call(getChannelEmailAddress, ask)).email).toBe("");
  expect(success(await member.call(getChannelEmailAddress, { ...ask, sender_id: bot.user_id })).email).toBe("");
  expect(await other.call(getChannelEmailAddress, { ...ask, sender_id: bot.user_id })).toMatchObject({
    code: "BAD_REQUEST",
    msg: "No such bot",
  });
  expect(await other.call(getChannelEmailAddress, { stream_id: closed.id })).toMatchObject({
    msg: "Invalid channel ID",
  });
  expect(await elsewhere.admin.call(getChannelEmailAddress, ask)).toMatchObject({ msg: "Invalid channel ID" });
  success(await member.call(updateChannel, { stream_id: open.id, can_send_message_group: { new: only(member) } }));
  expect(success(await member.call(getChannelEmailAddress, ask)).email).toBe("");
  expect(await other.call(getChannelEmailAddress, ask)).toMatchObject({
    msg: "You do not have permission to post in this channel.",
  });
});
