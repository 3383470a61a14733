/** The mail about what somebody missed in one conversation. */
import type { Config } from "../../config.ts";
import { textOf } from "../../markdown/notification-text.ts";
import type { OutgoingMail } from "../../platform/mailer.ts";
import { composeMail, type Quote } from "../mail/compose.ts";
import { conversationUrl, namesOf, placeOf } from "../notifications/conversation.ts";
import type { JudgedMessage, Reader } from "../notifications/judged-messages.ts";
import { addressWithoutRequest } from "../realm/address.ts";
import { settingOf } from "../settings/state.ts";
import { quotedHtml } from "./quoted-html.ts";
import { unsubscribeLink } from "./unsubscribe.ts";

export type Conversation = readonly [JudgedMessage, ...JudgedMessage[]];

/** More are counted, not quoted. */
const maxQuotes = 20;
const settingsPath = "/#settings/notifications";

export function missedMessagesMail(config: Config, reader: Reader, messages: Conversation): Omit<OutgoingMail, "id"> {
  const siteUrl = addressWithoutRequest(config, reader.realm);
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
    action: { label: "Open the conversation", url },
    notes: [`${reasonFor(messages)} Answers to this mail are not read: write in ${reader.realm.name} instead.`],
    links: [
      { label: "Choose what you are told of", url: siteUrl + settingsPath },
      ...(unsubscribeUrl === undefined ? [] : [{ label: "Get no more of this mail", url: unsubscribeUrl }]),
    ],
  });
  return {
    to: reader.delivery_email,
    subject: withRealmName(reader, heading),
    ...body,
    replyName: "Answers are not read",
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
  const who = namesOf(messages.map(({ sender }) => sender));
  const left = messages.length - maxQuotes;
  return {
    heading: headingFor(who, first),
    paragraphs: left > 0 ? [`The first ${maxQuotes} of ${messages.length} messages:`] : [],
    quotes: messages.slice(0, maxQuotes).map((message) => quote(reader, message, siteUrl)),
    url: siteUrl + conversationUrl(first),
  };
}

function headingFor(who: string, message: JudgedMessage): string {
  const place = placeOf(message);
  if (message.channel) return `${who} in ${place}`;
  return place === undefined ? `${who} to you` : `${who} to ${place}`;
}

/** Neither who nor where: both may tell as much as the words. */
const hiddenContent = ({ realm }: Reader, messages: Conversation, siteUrl: string): Content => ({
  heading: messages.length === 1 ? "A new message" : `${messages.length} new messages`,
  paragraphs: [`There is something for you to read in ${realm.name}. Its text is not shown in mail.`],
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

/** Why the reader gets it, by the first message that says. */
function reasonFor([{ due }]: Conversation): string {
  const trigger = due.mail?.trigger ?? "";
  if (trigger === "direct_message") return "You get this because the messages were written to you.";
  if (trigger === "mentioned") return "You get this because you were mentioned.";
  if (trigger.includes("wildcard")) return "You get this because everybody there was mentioned.";
  if (trigger === "followed_topic_email_notify") return "You get this because you follow the topic.";
  return "You get this because you asked for mail about the channel.";
}

const realmNamePolicies = { automatic: 1, always: 2 };

function withRealmName(reader: Reader, subject: string): string {
  const policy = settingOf(reader, "realm_name_in_email_notifications_policy");
  const isNamed =
    policy === realmNamePolicies.always || (policy === realmNamePolicies.automatic && reader.is_elsewhere);
  return isNamed ? `[${reader.realm.name}] ${subject}` : subject;
}
