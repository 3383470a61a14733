/** Reading one message: one statement finds it, checks access, and collects everything the response shows. */
import type { MessageObject } from "@skein/api/messages.ts";
import type { Reaction } from "@skein/api/reactions.ts";
import type { Submessage } from "@skein/api/submessages.ts";
import type { Context } from "../../../context.ts";
import { StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { topicLinksOfPage, type TopicLink } from "../../../markdown/topic-links.ts";
import { prepared } from "../../../platform/db/connect.ts";
import { editFields, newestEditsOf, type Edit } from "../edits/history.ts";
import { flagColumns, flagNames, flagsJoin, type FlagRow } from "../flags/rules.ts";
import { ProcessorBudget } from "../../organization/linkifiers/budget.ts";
import { spelledTopic } from "../../channels/topics/spelling.ts";
import { compiledLinkifiers } from "../../organization/linkifiers/compiled.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { avatarUrl, isAvatarComputable, type Pictured } from "../../people/users/avatar.ts";
import { apiEmail, type Addressed } from "../../people/users/email.ts";
import { hiddenFrom } from "../../people/users/guest-view.ts";
import { caller, callerValues, invalidMessages, isCurrent, isReadable, readerJoins } from "../access.ts";
import { asUnknownUser, messageFields, type MessageForm, type MessageSource } from "../object.ts";
import { toTimestamp } from "../../base/timestamp.ts";

type Account<T> = T & { full_name: string };

export interface MessageRow {
  id: number;
  conversation_id: number;
  /** Null for a direct message, which has `parties` instead. */
  channel_name: string | null;
  parties: Account<Addressed>[] | null;
  sender: Account<Pictured>;
  topic: string;
  client: string;
  content: string;
  rendered_content: string;
  is_me_message: boolean;
  reactions: Reaction[] | null;
  submessages: Omit<Submessage, "message_id">[] | null;
  date_sent: Date;
  edits: Edit[] | null;
}

const accountJson = (alias: string, ...more: string[]) => {
  const columns = ["id", "delivery_email", "email_address_visibility", "is_bot", "full_name", ...more];
  return `json_build_object(${columns.map((column) => `'${column}', ${alias}.${column}`).join(", ")})`;
};

/** The columns of a message `m` with its channel joined as `c`; to be used with `messageJoins`. */
export const messageColumns = `
  m.id, m.conversation_id, c.name as channel_name, coalesce(${spelledTopic}, '') as topic, client.name as client,
  ${accountJson("sender", "avatar_source", "avatar_version", "avatar_key")} as sender,
  case when c.id is null then (
    select json_agg(${accountJson("party")} order by party.id)
    from participations taking join users party on party.id = taking.user_id
    where taking.conversation_id = m.conversation_id) end as parties,
  (
    select json_agg(json_build_object('emoji_name', r.emoji_name, 'emoji_code', r.emoji_code,
      'reaction_type', r.reaction_type, 'user_id', r.user_id) order by r.id)
    from reactions r where r.message_id = m.id) as reactions,
  (
    select json_agg(json_build_object('id', part.id, 'sender_id', part.sender_id, 'msg_type', part.msg_type,
      'content', part.content) order by part.id)
    from submessages part where part.message_id = m.id) as submessages,
  m.content, m.rendered_content, m.is_me_message, m.date_sent, ${newestEditsOf} as edits`;

export const messageJoins = `
  join users sender on sender.id = m.sender_id
  join clients client on client.id = m.client_id
  left join topics t on t.id = m.topic_id`;

interface RealmFacts {
  host: string;
  string_id: string;
  linksIn: (topic: string) => TopicLink[];
}

export function toSource(row: MessageRow, realm: RealmFacts): MessageSource {
  const { sender, channel_name, conversation_id: id } = row;
  const parties = (row.parties ?? []).map((party) => ({
    id: party.id,
    email: apiEmail(party, realm.host),
    full_name: party.full_name,
  }));
  return {
    id: row.id,
    sender: {
      id: sender.id,
      email: apiEmail(sender, realm.host),
      full_name: sender.full_name,
      realm_str: realm.string_id,
      avatar_url: avatarUrl(sender),
      is_avatar_computable: isAvatarComputable(sender),
    },
    client: row.client,
    conversation: channel_name === null ? { id, parties } : { id, channel: { name: channel_name } },
    topic: row.topic,
    topic_links: channel_name === null ? [] : realm.linksIn(row.topic),
    content: row.content,
    rendered_content: row.rendered_content,
    is_me_message: row.is_me_message,
    ...(row.reactions === null ? {} : { reactions: row.reactions }),
    ...(row.submessages === null ? {} : { submessages: row.submessages }),
    timestamp: toTimestamp(row.date_sent),
  };
}

const oneMessage = {
  name: "messages-fetch-one",
  text: `select current.is_current, found.*
    from (select ${isCurrent} as is_current) as current
    left join (
      select ${messageColumns}, ${flagColumns(caller)}
      from messages m ${readerJoins(caller)} ${flagsJoin(caller)} ${messageJoins}
      where m.id = $6::bigint and m.realm_id = ${caller.realm} and ${isReadable(caller)}
    ) as found on true`,
};

type FoundRow = { is_current: boolean } & ((MessageRow & FlagRow) | { id: null });

/** The message as the user sees it, and its Markdown source; throws when the user may not read it. */
export async function fetchMessage(
  ctx: Context,
  user: User,
  messageId: number,
  form: MessageForm,
): Promise<{ message: MessageObject; content: string }> {
  if (!Number.isSafeInteger(messageId)) throw invalidMessages();
  const [row] = await prepared<FoundRow>(ctx.db, oneMessage, [...callerValues(user), messageId]);
  if (!row?.is_current) throw new StaleSession();
  if (row.id === null) throw invalidMessages();
  const [message] = await toMessages(ctx, user, [row], form);
  if (!message) throw new Error("unreachable: a row gives a message");
  return { message, content: row.content };
}

/** The messages as the user sees them. */
export async function toMessages(
  ctx: Context,
  user: User,
  rows: readonly (MessageRow & FlagRow)[],
  form: MessageForm,
): Promise<MessageObject[]> {
  const hasTopics = rows.some((row) => row.topic !== "");
  const linkifiers = hasTopics ? await compiledLinkifiers(ctx, ctx.db, user.realm) : [];
  const linksIn = topicLinksOfPage(linkifiers, new ProcessorBudget());
  const realm = { host: realmHost(ctx.config, user.realm), string_id: user.realm.string_id, linksIn };
  const hidden = await hiddenFrom(
    ctx.db,
    user,
    rows.map((row) => row.sender.id),
  );
  const toShown = (source: MessageSource): MessageSource =>
    hidden.has(source.sender.id) ? { ...source, sender: asUnknownUser(source.sender, realm.host) } : source;
  return rows.map((row) => ({
    ...messageFields(toShown(toSource(row, realm)), form),
    ...editFields(row.edits, user.realm, form),
    flags: flagNames(row),
  }));
}
