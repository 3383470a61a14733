/** What most tests start with: a topic people write in. */
import { getMessages } from "@skein/api/fetch-messages.ts";
import { newRealm, success, type TestRealm, type TestUser } from "../../server/test/realm.ts";
import { channelOf, sendToChannel, type TestChannel } from "../../server/test/actions.ts";

export interface Talk {
  realm: TestRealm;
  ada: TestUser;
  bo: TestUser;
  channel: TestChannel;
  /** The address of the topic "logo". */
  at: string;
  ids: number[];
}

/** Ada and Bo share a channel, in which Bo wrote these. */
export async function talk(texts: readonly string[], given?: TestRealm): Promise<Talk> {
  const realm = given ?? (await newRealm());
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  const ids: number[] = [];
  for (const content of texts) ids.push(await sendToChannel(bo, channel, { topic: "logo", content }));
  return { realm, ada, bo, channel, at: `#narrow/channel/${channel.id}/topic/logo`, ids };
}

/** Messages that fill more than a screen: "Message 1", "Message 2" and so on. */
export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `Message ${n + 1}\n\n${"a line that is long enough to be seen ".repeat(3)}`);

/** The texts of a topic as another client of the same user reads them, oldest first. */
export async function textsIn(user: TestUser, channelId: number, topic = "logo"): Promise<string[]> {
  const { messages } = success(
    await user.call(getMessages, {
      narrow: [
        { operator: "channel", operand: channelId },
        { operator: "topic", operand: topic },
      ],
      anchor: "newest",
      num_before: 50,
      num_after: 0,
      apply_markdown: false,
    }),
  );
  return messages.map(({ content }) => content);
}
