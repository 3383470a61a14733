/** What the server has, as another client of the same person reads it. */
import { getMessages } from "@skein/api/fetch-messages.ts";
import { success, type TestUser } from "../../server/test/realm.ts";

/** The texts of a topic, oldest first. */
export async function newestMessages(user: TestUser, channelId: number, topic: string): Promise<string[]> {
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
