/** The transaction that stores a batch of messages with everything that belongs to them. */
import { sql } from "kysely";
import { bigintArray, booleanArray, integerArray, textArray } from "../../../../platform/db/binary-array.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { clientIdWithin } from "../../../base/clients.ts";
import { truncate } from "../../../base/truncate.ts";
import { wordsOfMessage } from "../../../messages/search/index-messages.ts";
import { traitsOf } from "../../../messages/traits.ts";
import type { ReadyEdit } from "./edits.ts";
import { insertAttachment } from "./files.ts";
import type { Import } from "./import-context.ts";
import { remember } from "./map.ts";
import type { ReadyBatch, ReadyMessage } from "./messages.ts";
import { storeReceived } from "./protected-history.ts";
import { skipInto, type Report } from "./report.ts";

export async function storeBatch(tx: Tx, run: Import, batch: ReadyBatch, report: Report): Promise<void> {
  const { messages } = batch;
  await insertMessages(tx, run, messages);
  await storeReceived(tx, messages);
  const keys = (isNotice: boolean) =>
    messages
      .filter((message) => message.isNotice === isNotice)
      .map((message): [string, number] => [message.key, message.id]);
  await remember(tx, run, "message", keys(false));
  await remember(tx, run, "line", keys(true));
  await storeTexts(tx, run, messages);
  await claimFiles(tx, run, messages);
  await insertEdits(tx, run, messages);
  await insertSubmessages(tx, run, messages);
  report.imported.reactions += await insertReactions(tx, run, messages);
  await insertFlags(tx, run, messages);
  await noteUnread(tx, run, messages);
  const note = skipInto(report);
  for (const [reason, sourceId] of batch.skipped) note(reason, sourceId);
  report.imported.messages += keys(false).length;
  report.imported.notices += keys(true).length;
}

const moment = (microseconds: string) => sql.raw(`'epoch'::timestamptz + ${microseconds} * interval '1 microsecond'`);

/**
 * Where history is protected, each message keeps the spelling of its topic: channels/topics/spelling.ts says why. A topic
 * that was renamed here has its new name.
 */
const topicSpelling = sql`(
  select nullif(given.topic, t.name) from topics t where t.id = given.topic_id and lower(t.name) = lower(given.topic))`;

/** Together with the words they are found by: the worker that indexes what is sent does not look at older ids. */
async function insertMessages(tx: Tx, { realmId, source, owner }: Import, messages: readonly ReadyMessage[]) {
  if (messages.length === 0) return;
  const clientIds = await clientsOf(tx, `${source.name} import`, messages);
  const numbers = (value: (message: ReadyMessage) => number | null) => bigintArray(messages.map(value));
  await sql`
    with given as materialized (
      select * from unnest(${numbers(({ id }) => id)}::bigint[], ${numbers((message) => message.conversationId)}::bigint[],
        ${numbers((message) => message.topicId)}::bigint[], ${numbers((message) => message.senderId)}::bigint[],
        ${numbers(({ at }) => at)}::bigint[], ${textArray(messages.map(({ content }) => content))}::text[],
        ${textArray(messages.map(({ rendered }) => rendered.html))}::text[],
        ${integerArray(messages.map(({ rendered }) => traitsOf(rendered)))}::integer[], ${integerArray(clientIds)}::integer[],
        ${textArray(messages.map(({ topicWritten }) => topicWritten))}::text[])
        as given (id, conversation_id, topic_id, sender_id, at, content, html, traits, client_id, topic)),
    stored as (
      insert into messages (id, realm_id, conversation_id, topic_id, topic_spelling, sender_id, client_id, date_sent, content,
        rendered_content, is_me_message, traits, read_by_sender)
      select id, ${realmId}, conversation_id, topic_id, ${topicSpelling}, sender_id, client_id, ${moment("at")}, content, html,
        starts_with(content, '/me '), traits, true
      from given order by id)
    insert into message_search (message_id, realm_id, vector)
    select id, ${realmId}, ${wordsOfMessage(sql`${owner.realm.search_language}`, sql`html`, sql`${realmId}::bigint`)}
    from given order by id`.execute(tx);
}

const maxClientNameLength = 30;

/** For each message the id of its client. Names of clients are in order, so that two imports do not wait for each other. */
async function clientsOf(tx: Tx, fallback: string, messages: readonly ReadyMessage[]): Promise<number[]> {
  const nameOf = ({ client }: ReadyMessage) => truncate(client ?? "", maxClientNameLength, "") || fallback;
  const ids = new Map<string, number>();
  for (const name of [...new Set(messages.map(nameOf))].toSorted()) ids.set(name, await clientIdWithin(tx, name));
  return messages.map((message) => ids.get(nameOf(message)) ?? 0);
}

/** One row for each pair. */
const pairs = <T>(messages: readonly ReadyMessage[], values: (message: ReadyMessage) => readonly T[]) =>
  messages.flatMap((message) => values(message).map((value) => ({ message, value })));

/** Files of whole texts, which count as part of their messages. */
async function storeTexts(tx: Tx, run: Import, messages: readonly ReadyMessage[]): Promise<void> {
  for (const { id, textFile } of messages) {
    if (!textFile) continue;
    const attachment_id = await insertAttachment(tx, run, textFile);
    await tx
      .insertInto("attachment_messages")
      .values({ attachment_id, message_id: id, realm_id: run.realmId })
      .execute();
  }
}

async function claimFiles(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<void> {
  const claims = pairs(messages, (message) => message.attachmentIds);
  if (claims.length === 0) return;
  await sql`
    insert into attachment_messages (attachment_id, message_id, realm_id)
    select a.id, claim.message_id, ${realmId}
    from unnest(${bigintArray(claims.map(({ value }) => value))}::bigint[],
      ${bigintArray(claims.map(({ message }) => message.id))}::bigint[]) as claim (attachment_id, message_id)
      join attachments a on a.id = claim.attachment_id
    on conflict do nothing`.execute(tx);
}

async function insertEdits(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<void> {
  const given = pairs(messages, ({ edits }) => edits);
  if (given.length === 0) return;
  const numbers = (value: (edit: ReadyEdit) => number | null) => bigintArray(given.map((one) => value(one.value)));
  const texts = (value: (edit: ReadyEdit) => string | null) => textArray(given.map((one) => value(one.value)));
  await sql`
    insert into message_edits (realm_id, message_id, user_id, edited_at, prev_content, prev_rendered_content, prev_topic,
      topic, prev_channel_id, channel_id)
    select ${realmId}, message_id, user_id, ${moment("edit.at")}, content, html, prev_topic, topic, prev_channel_id, channel_id
    from unnest(${bigintArray(given.map(({ message }) => message.id))}::bigint[], ${numbers(({ userId }) => userId)}::bigint[],
      ${numbers(({ at }) => at)}::bigint[], ${texts((edit) => edit.previousContent)}::text[],
      ${texts((edit) => edit.previousHtml)}::text[], ${texts((edit) => edit.previousTopic)}::text[],
      ${texts(({ topic }) => topic)}::text[], ${numbers((edit) => edit.previousChannelId)}::bigint[],
      ${numbers(({ channelId }) => channelId)}::bigint[])
      with ordinality
      as edit (message_id, user_id, at, content, html, prev_topic, topic, prev_channel_id, channel_id, n)
    order by n`.execute(tx);
}

async function insertSubmessages(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<void> {
  const given = pairs(messages, ({ submessages }) => submessages);
  if (given.length === 0) return;
  await sql`
    insert into submessages (realm_id, message_id, sender_id, msg_type, content)
    select ${realmId}, message_id, sender_id, type, content
    from unnest(${bigintArray(given.map(({ message }) => message.id))}::bigint[],
      ${bigintArray(given.map(({ value }) => value.senderId))}::bigint[],
      ${textArray(given.map(({ value }) => value.type))}::text[],
      ${textArray(given.map(({ value }) => value.content))}::text[])
      with ordinality as given (message_id, sender_id, type, content, n)
    order by n`.execute(tx);
}

async function insertReactions(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<number> {
  const given = pairs(messages, ({ reactions }) => reactions);
  if (given.length === 0) return 0;
  const { numAffectedRows = 0n } = await sql`
    insert into reactions (realm_id, message_id, user_id, reaction_type, emoji_code, emoji_name)
    select ${realmId}, * from unnest(${bigintArray(given.map(({ message }) => message.id))}::bigint[],
      ${bigintArray(given.map(({ value }) => value.userId))}::bigint[],
      ${textArray(given.map(({ value }) => value.reaction_type))}::text[],
      ${textArray(given.map(({ value }) => value.emoji_code))}::text[],
      ${textArray(given.map(({ value }) => value.emoji_name))}::text[])
    on conflict do nothing`.execute(tx);
  return Number(numAffectedRows);
}

const flagNames = ["starredBy", "mentionedIds", "topicMentionedIds", "alertedIds", "collapsedBy"] as const;

async function insertFlags(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<void> {
  const given = messages.flatMap((message) =>
    [...new Set(flagNames.flatMap((name) => message[name]))].map((userId) => ({ message, userId })),
  );
  if (given.length === 0) return;
  const flags = (name: (typeof flagNames)[number]) =>
    booleanArray(given.map(({ message, userId }) => message[name].includes(userId)));
  await sql`
    insert into message_flags (realm_id, message_id, user_id, starred, mentioned, topic_wildcard_mentioned, has_alert_word,
      collapsed)
    select ${realmId}, * from unnest(${bigintArray(given.map(({ message }) => message.id))}::bigint[],
      ${bigintArray(given.map(({ userId }) => userId))}::bigint[], ${flags("starredBy")}::boolean[],
      ${flags("mentionedIds")}::boolean[], ${flags("topicMentionedIds")}::boolean[], ${flags("alertedIds")}::boolean[],
      ${flags("collapsedBy")}::boolean[])`.execute(tx);
}

async function noteUnread(tx: Tx, { realmId }: Import, messages: readonly ReadyMessage[]): Promise<void> {
  const unread = pairs(messages, ({ unreadBy }) => unreadBy);
  if (unread.length === 0) return;
  await sql`
    insert into import_unread (realm_id, user_id, conversation_id, message_id)
    select ${realmId}, * from unnest(${bigintArray(unread.map(({ value }) => value))}::bigint[],
      ${bigintArray(unread.map(({ message }) => message.conversationId))}::bigint[],
      ${bigintArray(unread.map(({ message }) => message.id))}::bigint[])`.execute(tx);
}
