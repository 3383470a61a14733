/** The mail about the messages that a user missed in one conversation. */
import type { Config } from "../../../config.ts";
import { textOf } from "../../../markdown/notification-text.ts";
import type { OutgoingMail } from "../../../platform/mailer.ts";
import { composeMail, type Quote } from "../../base/mail/compose.ts";
import { conversationUrl, namesOf, placeOf } from "../conversation.ts";
import type { JudgedMessage, Reader } from "../judged-messages.ts";
import { realmUrlWithoutRequest } from "../../organization/realm/address.ts";
import { settingOf } from "../../people/settings/state.ts";
import { quotedHtml } from "./quoted-html.ts";
import { unsubscribeLink } from "./unsubscribe.ts";

export type Conversation = readonly [JudgedMessage, ...JudgedMessage[]];

/** Further messages are counted, but not quoted. */
const maxQuotes = 20;
const settingsPath = "/#settings/notifications";

export function missedMessagesMail(config: Config, reader: Reader, messages: Conversation): Omit<OutgoingMail, "id"> {
  const siteUrl = realmUrlWithoutRequest(config, reader.realm);
  const unsubscribePath = unsubscribeLink(config, "missed_messages", reader.id);
  const unsubscribeUrl = unsubscribePath === undefined ? undefined : siteUrl + unsubscribePath;
  const showsContent = messages.every(({ due }) => due.mail?.showsContent);
  const { heading, paragraphs, quotes, url } = showsContent
    ? openContent(reader, messages, siteUrl)
    : hiddenContent(reader, messages, siteUrl);
  const body = composeMail({
    heading,
    paragraphs,
    quotes,
    action: { label: "Open conversation", url },
    notes: [
      `${reasonFor(messages)} Do not reply to this mail: nobody reads replies. Answer in ${reader.realm.name} instead.`,
    ],
    links: [
      { label: "Notification settings", url: siteUrl + settingsPath },
      ...(unsubscribeUrl === undefined ? [] : [{ label: "Unsubscribe", url: unsubscribeUrl }]),
    ],
  });
  return {
    to: reader.delivery_email,
    subject: withRealmName(reader, heading),
    ...body,
    replyName: "Do not reply",
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
  };
}

interface Content {
  heading: string;
  paragraphs: string[];
  quotes: Quote[];
  url: string;
}

function openContent(reader: Reader, messages: Conversation, siteUrl: string): Content {
  const [first] = messages;
  const senders = namesOf(messages.map(({ sender }) => sender));
  return {
    heading: headingFor(senders, first),
    paragraphs: messages.length > maxQuotes ? [`The first ${maxQuotes} of ${messages.length} messages:`] : [],
    quotes: messages.slice(0, maxQuotes).map((message) => quote(reader, message, siteUrl)),
    url: siteUrl + conversationUrl(first),
  };
}

function headingFor(senders: string, message: JudgedMessage): string {
  const place = placeOf(message);
  if (message.channel) return `${senders} in ${place}`;
  return place === undefined ? `${senders} to you` : `${senders} to ${place}`;
}

/** Shows neither senders nor conversation: they may reveal as much as the text. */
const hiddenContent = ({ realm }: Reader, messages: Conversation, siteUrl: string): Content => ({
  heading: messages.length === 1 ? "New message" : `${messages.length} new messages`,
  paragraphs: [`You have unread messages in ${realm.name}. Message text is not included in mails.`],
  quotes: [],
  url: siteUrl + conversationUrl(messages[0]),
});

const quote = (reader: Reader, message: JudgedMessage, siteUrl: string): Quote => ({
  heading: `${message.sender.full_name}, ${timeFor(reader, message.date_sent)}`,
  text: textOf(message.rendered_content),
  html: quotedHtml(message.rendered_content, siteUrl),
});

function timeFor({ settings, timezone }: Reader, time: Date): string {
  const hour12 = !settingOf({ settings }, "twenty_four_hour_time");
  const timeZone = timezone === "" ? "UTC" : timezone;
  const written = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", hour12, timeZone });
  return `${written.format(time)} (${timeZone})`;
}

/** Why the reader gets this mail, according to its first message. */
function reasonFor([{ due }]: Conversation): string {
  const trigger = due.mail?.trigger ?? "";
  if (trigger === "direct_message") return "You received this because you were sent a direct message.";
  if (trigger === "mentioned") return "You received this because you were mentioned.";
  if (trigger.includes("wildcard")) return "You received this because everyone in the channel or topic was mentioned.";
  if (trigger === "followed_topic_email_notify") return "You received this because you follow the topic.";
  return "You received this because you enabled e-mail notifications for the channel.";
}

const realmNamePolicies = { automatic: 1, always: 2 };

function withRealmName(reader: Reader, subject: string): string {
  const policy = settingOf(reader, "realm_name_in_email_notifications_policy");
  const isNamed =
    policy === realmNamePolicies.always || (policy === realmNamePolicies.automatic && reader.is_elsewhere);
  return isNamed ? `[${reader.realm.name}] ${subject}` : subject;
}
