/** Turns the text of a request into a message that is ready to be sent. */
import type { WidgetContent } from "@skein/api/submessages.ts";
import { ApiError } from "../../../errors.ts";
import type { TxContext } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import { RenderedTooLong, renderMarkdown } from "../../../markdown/render.ts";
import type { CompiledLinkifier } from "../../../markdown/linkifier.ts";
import { topicLinks } from "../../../markdown/topic-links.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { cachedAlertWords } from "../alert-words/cached-words.ts";
import { isInteractive } from "../../base/clients.ts";
import { prepareMarkdown } from "../markdown/prepare.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { composeWidget, widgetType } from "../submessages/widget.ts";
import { avatarUrl, isAvatarComputable } from "../../people/users/avatar.ts";
import { apiEmail } from "../../people/users/email.ts";
import type { ComposedText } from "./consequence.ts";
import { normalizeContent } from "../content.ts";
import type { LoggedMessageFields } from "../event.ts";
import type { Mentions } from "./mentions.ts";
import type { MessageSource } from "../object.ts";
import type { Outgoing } from "./send-statements.ts";
import { traitsOf } from "../traits.ts";

/** How a message is sent: by which client, from which origin, and with which options. */
export interface SendOptions {
  clientName: string;
  /** The origin of the URL the sender's client used. */
  origin: string;
  readBySender?: boolean | undefined;
  /** If given, it is read from the start by everybody but these. The caller records that. */
  unreadBy?: readonly number[] | undefined;
  /** Local echo: the queue it is sent from, and the client's own id for the message. */
  local?: { queue: string; id: string } | undefined;
  /** The span in which it is committed, if it is traced. */
  traceparent?: string | undefined;
  /** The initial data of a poll, to-do list or form, where the text does not give it. */
  widgetContent?: WidgetContent | undefined;
}

export interface Composed extends ComposedText, SendOptions {
  /** The organization's linkifiers, which apply to topics too. */
  linkifiers: readonly CompiledLinkifier[];
  /** The version of the alert words the text was searched for. */
  alertWordVersion: number;
}

/** `db` may be a transaction: the text may refer to its uncommitted changes. */
export async function compose(
  ctx: TxContext,
  db: Db,
  sender: User,
  message: SendOptions & { content: string },
): Promise<Composed> {
  const content = normalizeContent(message.content);
  const context = await prepareMarkdown(ctx, db, sender, message.origin, content);
  const { linkifiers = [] } = context;
  const alert = await cachedAlertWords(ctx, db, sender.realm_id);
  try {
    const rendered = renderMarkdown(content, { ...context, alertWords: alert.words });
    const widget = await composeWidget(db, content, message.widgetContent);
    return { ...message, sender, content, rendered, linkifiers, widget, alertWordVersion: alert.version };
  } catch (error) {
    if (error instanceof RenderedTooLong) throw new ApiError("Unable to render message");
    throw error;
  }
}

interface OutgoingOptions {
  clientId: number;
  mentions: Mentions | undefined;
  isToSelf: boolean;
  /** Only for a channel message. */
  topic?: string;
  /** Guests in the channel who cannot see the sender. */
  hiddenFrom?: number[] | null;
}

export function outgoing(
  ctx: TxContext,
  {
    sender,
    content,
    rendered,
    clientName,
    readBySender: requested,
    unreadBy,
    local,
    linkifiers,
    widget,
    traceparent,
  }: Composed,
  { clientId, mentions, isToSelf, topic, hiddenFrom }: OutgoingOptions,
): Outgoing {
  const readBySender = requested ?? (isInteractive(clientName) && !isToSelf);
  const isMeMessage = content.startsWith("/me ");
  const links = topic === undefined ? [] : topicLinks(topic, linkifiers);
  const source: Omit<MessageSource, "id" | "timestamp" | "conversation" | "topic"> = {
    sender: {
      id: sender.id,
      email: apiEmail(sender, realmHost(ctx.config, sender.realm)),
      full_name: sender.full_name,
      realm_str: sender.realm.string_id,
      avatar_url: avatarUrl(sender),
      is_avatar_computable: isAvatarComputable(sender),
    },
    client: clientName,
    content,
    rendered_content: rendered.html,
    is_me_message: isMeMessage,
    ...(links.length > 0 ? { topic_links: links } : {}),
    ...(widget ? { submessages: [{ ...widget, sender_id: sender.id, msg_type: widgetType }] } : {}),
  };
  const fields: LoggedMessageFields = {
    ...(readBySender ? { sender_read: true } : {}),
    ...(unreadBy ? { unread_by: [...unreadBy] } : {}),
    ...(hiddenFrom ? { hidden_from: hiddenFrom } : {}),
    ...(mentions && mentions.users.length > 0 ? { mentioned: mentions.users } : {}),
    ...(mentions?.channel ? { mentions_channel: true } : {}),
    ...(mentions && mentions.participants.length > 0 ? { topic_participants: mentions.participants } : {}),
    ...(rendered.userIdsWithAlertWords.length > 0 ? { alerted: rendered.userIdsWithAlertWords } : {}),
    ...(local ? { local } : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
  return {
    senderId: sender.id,
    senderVersion: sender.version,
    senderRank: sender.rank,
    clientId,
    content,
    renderedContent: rendered.html,
    isMeMessage,
    traits: traitsOf(rendered),
    readBySender,
    sourceJson: inner(source),
    eventJson: Object.keys(fields).length > 0 ? `,${inner(fields)}` : "",
  };
}

/** An object's JSON without its braces: the database adds more fields. */
const inner = (fields: object): string => JSON.stringify(fields).slice(1, -1);
