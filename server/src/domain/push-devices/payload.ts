/**
 * What a device is told. Mobile devices get the fields that existing apps read; browsers get what a service worker needs
 * to show a notification, and no more. docs/notifications.md tells of both.
 */
import type { Config } from "../../config.ts";
import { maxNotificationLength, notificationText, textOf } from "../../markdown/notification-text.ts";
import { conversationUrl, placeOf, shownTopicOf } from "../notifications/conversation.ts";
import type { JudgedMessage, Reader } from "../notifications/judged-messages.ts";
import { toTimestamp } from "../messages/object.ts";
import { addressWithoutRequest, realmHost } from "../realm/address.ts";
import { avatarUrl } from "../users/avatar.ts";
import { apiEmail } from "../users/email.ts";

export type Payload = Record<string, unknown>;

/** Names a notification on a device: whatever comes under the name of one that is shown takes its place. */
export const tagOf = (messageId: number): string => `message-${messageId}`;

/** Who the device is told about: one device may have accounts of several organizations. */
const accountFields = (config: Config, { id, realm }: Reader) => ({
  server: realmHost(config, realm),
  realm_id: realm.id,
  realm_name: realm.name,
  realm_url: addressWithoutRequest(config, realm),
  realm_uri: addressWithoutRequest(config, realm),
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
    sender_avatar_url: new URL(avatarUrl(sender), addressWithoutRequest(config, reader.realm)).href,
    ...(channel
      ? { recipient_type: "stream", stream: channel.name, stream_id: channel.stream_id, topic: shownTopicOf(message) }
      : { recipient_type: "private", ...(parties.length > 1 ? { pm_users: everybody(reader, parties) } : {}) }),
    content: notificationText(rendered_content),
    content_truncated: Array.from(textOf(rendered_content)).length > maxNotificationLength,
    trigger: message.due.mobile?.trigger,
  };
}

/** Of a group of more than two: everybody in it, by id. */
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
    icon: new URL(avatarUrl(sender), addressWithoutRequest(config, reader.realm)).href,
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
  body: "Notifications reach this browser.",
  url: "/",
});
