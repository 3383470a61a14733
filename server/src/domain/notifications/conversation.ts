/** The conversation of a message, as text and as a URL, for notifications of all kinds. */
import { emptyTopicDisplayName } from "@skein/api/messages.ts";
import { directUrl, topicUrl } from "../../markdown/narrow-url.ts";
import type { JudgedMessage } from "./judged-messages.ts";

/** Identifies a conversation: a topic, or a group of people in direct messages. */
export const conversationKey = ({ conversation_id, topic_id }: JudgedMessage): string =>
  topic_id === null ? `direct-${conversation_id}` : `topic-${topic_id}`;

/** The path of the conversation at this message. The link still works after the topic is renamed. */
export function conversationUrl({ id, channel, topic, parties, sender }: JudgedMessage): string {
  if (channel) return `${topicUrl(channel, topic)}/with/${id}`;
  return `${directUrl(parties.length > 0 ? parties : [sender])}/near/${id}`;
}

export const shownTopicOf = ({ topic }: JudgedMessage): string => (topic === "" ? emptyTopicDisplayName : topic);

/** "#design > logo"; undefined for a conversation of two, which its sender identifies. */
export function placeOf(message: JudgedMessage): string | undefined {
  const { channel, parties, sender } = message;
  if (channel) return `#${channel.name} > ${shownTopicOf(message)}`;
  const others = parties.filter(({ id }) => id !== sender.id);
  return others.length === 0 ? undefined : `you and ${namesOf(others)}`;
}

/** "Ann", "Ann and Bob", "Ann, Bob and 3 others". */
export function namesOf(people: readonly { full_name: string }[]): string {
  const names = [...new Set(people.map(({ full_name }) => full_name))];
  const [first = "", second, third, ...more] = names;
  if (second === undefined) return first;
  if (third === undefined) return `${first} and ${second}`;
  if (more.length === 0) return `${first}, ${second} and ${third}`;
  return `${first}, ${second} and ${more.length + 1} others`;
}
