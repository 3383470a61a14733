/** From what somebody wants to say to a message ready to be sent. */
import { ApiError } from "../../errors.ts";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import { RenderedTooLong, renderMarkdown } from "../../markdown/render.ts";
import type { CompiledLinkifier } from "../../markdown/linkifier.ts";
import { topicLinks } from "../../markdown/topic-links.ts";
import type { Db } from "../../platform/db/connect.ts";
import { alertWordsFor } from "../alert-words/remembered-words.ts";
import { isInteractive } from "../clients/clients.ts";
import { prepareMarkdown } from "../markdown/prepare.ts";
import { realmHost } from "../realm/address.ts";
import { composeWidget, widgetType } from "../submessages/widget.ts";
import { avatarUrl, isAvatarComputable } from "../users/avatar.ts";
import { apiEmail } from "../users/email.ts";
import type { ComposedText } from "./consequence.ts";
import { normalizeContent } from "./content.ts";
import type { LoggedMessageFields } from "./event.ts";
import type { Mentions } from "./mentions.ts";
import type { MessageSource } from "./object.ts";
import type { Outgoing } from "./send-statements.ts";
import { traitsOf } from "./traits.ts";

/** How something is said: with which program, from where, and what the sender wants of it. */
export interface Manner {
  clientName: string;
  /** The address the sender's client used. */
  origin: string;
  readBySender?: boolean | undefined;
  /** Local echo: the queue it is sent from, and the client's own name for the message. */
  local?: { queue: string; id: string } | undefined;
  /** What a poll, a to-do list or a form begins with, where the text does not say it. */
  widgetData?: object | undefined;
}

export interface Composed extends ComposedText, Manner {
  /** Those of the organization, which look at topics too. */
  linkifiers: readonly CompiledLinkifier[];
  /** Of the alert words the text was searched for. */
  alertWordVersion: number;
}

/** `db` may be a transaction, whose changes the text may refer to. */
export async function compose(
  ctx: Context,
  db: Db,
  sender: User,
  message: Manner & { content: string },
): Promise<Composed> {
  const content = normalizeContent(message.content);
  const context = await prepareMarkdown(ctx, db, sender, message.origin, content);
  const { linkifiers = [] } = context;
  const alert = await alertWordsFor(ctx, db, sender.realm_id);
  try {
    const rendered = renderMarkdown(content, { ...context, alertWords: alert.words });
    const widget = await composeWidget(db, content, message.widgetData);
    return { ...message, sender, content, rendered, linkifiers, widget, alertWordVersion: alert.version };
  } catch (error) {
    if (error instanceof RenderedTooLong) throw new ApiError("Unable to render message");
    throw error;
  }
}

interface Circumstances {
  clientId: number;
  mentions: Mentions | undefined;
  isToSelf: boolean;
  /** For a channel message. */
  topic?: string;
}

export function outgoing(
  ctx: Context,
  { sender, content, rendered, clientName, readBySender: wish, local, linkifiers, widget }: Composed,
  { clientId, mentions, isToSelf, topic }: Circumstances,
): Outgoing {
  const readBySender = wish ?? (isInteractive(clientName) && !isToSelf);
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
    ...(mentions && mentions.users.length > 0 ? { mentioned: mentions.users } : {}),
    ...(mentions?.channel ? { mentions_channel: true } : {}),
    ...(mentions && mentions.participants.length > 0 ? { topic_participants: mentions.participants } : {}),
    ...(rendered.userIdsWithAlertWords.length > 0 ? { alerted: rendered.userIdsWithAlertWords } : {}),
    ...(local ? { local } : {}),
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

/** An object's JSON without its braces: the database puts more fields beside these. */
const inner = (fields: object): string => JSON.stringify(fields).slice(1, -1);
