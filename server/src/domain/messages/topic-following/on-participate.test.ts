import { addSubmessage } from "@skein/api/submessages.ts";
import { expect, test } from "vitest";
import { chooseSettings } from "../../../../test/choose-settings.ts";
import { newRealm, success, type TestUser } from "../../../../test/realm.ts";
import { channelOf, sendToChannel, sendDirect } from "../../../../test/actions.ts";

const poll = "/poll Lunch?\n- soup\n- bread";
const vote = (user: TestUser, message_id: number) =>
  user.call(addSubmessage, {
    message_id,
    msg_type: "widget",
    content: JSON.stringify({ type: "vote", key: "canned,0", vote: 1 }),
  });
const kept = async (user: TestUser) => (await user.register([], ["user_topic"])).state.user_topics;

// spec 3.1: automatically_follow_topics_policy, automatically_unmute_topics_in_muted_streams_policy, followed, unmuted
test("a vote counts as participation, and follows or unmutes the topic if the user's settings say so", async () => {
  const realm = await newRealm();
  const [follower, unmuter, writer] = [await realm.user("f"), await realm.user("u"), await realm.user("w")];
  const channel = await channelOf([realm.admin, follower, unmuter, writer], "elsinore");
  await chooseSettings(follower, { automatically_follow_topics_policy: 1 });
  const unmuting = {
    automatically_follow_topics_policy: 4,
    automatically_unmute_topics_in_muted_streams_policy: 1,
  } as const;
  await chooseSettings(unmuter, unmuting);
  await chooseSettings(writer, { automatically_follow_topics_policy: 2 });
  await realm.ctx.db.updateTable("subscriptions").set({ is_muted: true }).where("user_id", "=", unmuter.id).execute();
  const id = await sendToChannel(realm.admin, channel, { topic: "lunch", content: poll });
  const queue = await follower.register(["user_topic"]);

  for (const user of [follower, unmuter, writer]) success(await vote(user, id));

  expect(await queue.next()).toMatchObject({ topic_name: "lunch", visibility_policy: 3 });
  expect(await kept(follower)).toMatchObject([{ topic_name: "lunch", visibility_policy: 3 }]);
  expect(await kept(unmuter)).toMatchObject([{ topic_name: "lunch", visibility_policy: 2 }]);
  expect(await kept(writer)).toEqual([]);
});

test("a vote in a direct message changes no topic", async () => {
  const realm = await newRealm();
  const hamlet = await realm.user("hamlet");
  await chooseSettings(hamlet, { automatically_follow_topics_policy: 1 });
  const id = await sendDirect(realm.admin, [hamlet], { content: poll });

  success(await vote(hamlet, id));

  expect(await kept(hamlet)).toEqual([]);
});
