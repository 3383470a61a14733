/**
 * The payloads sent to devices. Mobile devices get the fields that existing apps read; browsers get only what a service
 * worker needs to show a notification. docs/notifications.md documents both.
 */
import type { Config } from "../../../config.ts";
import { maxNotificationLength, notificationText, textOf } from "../../../markdown/notification-text.ts";
import { conversationUrl, placeOf, shownTopicOf } from "../conversation.ts";
import type { JudgedMessage, Reader } from "../judged-messages.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { realmUrlWithoutRequest, realmHost } from "../../organization/realm/address.ts";
import { avatarUrl } from "../../people/users/avatar.ts";
import { apiEmail } from "../../people/users/email.ts";

export type Payload = Record<string, unknown>;

/** Identifies a notification on a device: a new one with the same tag replaces it. */
export const tagOf = (messageId: number): string => `message-${messageId}`;

/** Identifies the account: one device may have accounts in several organizations. */
const accountFields = (config: Config, { id, realm }: Reader) => ({
  server: realmHost(config, realm),
  realm_id: realm.id,
  realm_name: realm.name,
  realm_url: realmUrlWithoutRequest(config, realm),
  realm_uri: realmUrlWithoutRequest(config, realm),
  user_id: id,
});

export function mobileMessage(config: Config, reader: Reader, message: JudgedMessage): Payload {
  const { id, channel, sender, parties, rendered_content } = message;
  return {
    ...accountFields(config, reader),
    event: "message",
    zulip_message_id: id,
    time: toTimestamp(message.date_sent),
    sender_id: sender.id,
    sender_email: apiEmail(sender, realmHost(config, reader.realm)),
    sender_full_name: sender.full_name,
    sender_avatar_url: new URL(avatarUrl(sender), realmUrlWithoutRequest(config, reader.realm)).href,
    ...(channel
      ? { recipient_type: "stream", stream: channel.name, stream_id: channel.stream_id, topic: shownTopicOf(message) }
      : { recipient_type: "private", ...(parties.length > 1 ? { pm_users: everybody(reader, parties) } : {}) }),
    content: notificationText(rendered_content),
    content_truncated: Array.from(textOf(rendered_content)).length > maxNotificationLength,
    trigger: message.due.mobile?.trigger,
  };
}

/** All IDs of a group of more than two. */
const everybody = ({ id }: Reader, parties: JudgedMessage["parties"]): string =>
  [id, ...parties.map((party) => party.id)].toSorted((a, b) => a - b).join(",");

export const mobileRemoval = (config: Config, reader: Reader, messageIds: readonly number[]): Payload => ({
  ...accountFields(config, reader),
  event: "remove",
  zulip_message_ids: messageIds.join(","),
});

export const mobileTest = (config: Config, reader: Reader): Payload => ({
  ...accountFields(config, reader),
  event: "test",
  time: Math.floor(Date.now() / 1000),
});

export function webMessage(config: Config, reader: Reader, message: JudgedMessage): Payload {
  const { id, sender, due } = message;
  const place = placeOf(message);
  const showsContent = due.web?.showsContent ?? false;
  return {
    event: "message",
    tag: tagOf(id),
    message_id: id,
    title: place === undefined ? sender.full_name : `${sender.full_name} (${place})`,
    body: showsContent ? notificationText(message.rendered_content) : "New direct message",
    icon: new URL(avatarUrl(sender), realmUrlWithoutRequest(config, reader.realm)).href,
    url: conversationUrl(message),
    time: toTimestamp(message.date_sent),
    trigger: due.web?.trigger,
  };
}

export const webRemoval = (messageIds: readonly number[]): Payload => ({
  event: "remove",
  tags: messageIds.map(tagOf),
});

export const webTest = ({ realm }: Reader): Payload => ({
  event: "test",
  tag: "test",
  title: realm.name,
  body: "Notifications work in this browser.",
  url: "/",
});
