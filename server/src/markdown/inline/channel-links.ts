/** Links to channels, topics and messages by name. */
import { channelUrl, topicUrl } from "../narrow-url.ts";
import { channelLinksIn, messageLinksIn, topicLinksIn } from "../references.ts";
import { Element, finalElement } from "../tree.ts";
import { referencePass } from "./pattern.ts";

/** `#channel > topic` and `ending`; the empty topic is shown under its display name. */
function topicLink(attributes: Record<string, string>, channelName: string, topic: string, ending: string): Element {
  if (topic !== "") return finalElement("a", `#${channelName} > ${topic}${ending}`, attributes);
  const link = finalElement("a", `#${channelName} > `, attributes);
  const name = link.append(new Element("em", "general chat", true));
  name.tail = ending;
  name.isTailFinal = true;
  return link;
}

export const messageLinks = referencePass(messageLinksIn, ({ channelName, topic, messageId }, { references }) => {
  const channel = references.channels.get(channelName);
  if (channel === undefined) return undefined;
  const href = `${topicUrl(channel, topic)}/near/${messageId}`;
  return topicLink({ class: "message-link", href }, channel.name, topic, " @ 💬");
});

export const topicLinks = referencePass(topicLinksIn, ({ channelName, topic }, { references }) => {
  const channel = references.channels.get(channelName);
  if (channel === undefined) return undefined;
  const newest = channel.topics?.get(topic);
  const href = topicUrl(channel, topic) + (newest === undefined ? "" : `/with/${newest}`);
  const attributes = { class: "stream-topic", "data-stream-id": String(channel.stream_id), href };
  return topicLink(attributes, channel.name, topic, "");
});

export const channelLinks = referencePass(channelLinksIn, ({ content }, { references }) => {
  const channel = references.channels.get(content);
  if (channel === undefined) return undefined;
  const attributes = { class: "stream", "data-stream-id": String(channel.stream_id), href: channelUrl(channel) };
  return finalElement("a", `#${channel.name}`, attributes);
});
