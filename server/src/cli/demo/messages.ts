/**
 * Stores messages as if they had been sent at their time: rendered, with all side effects of sending. The normal send path
 * would take too long, and always uses the current time.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { clientIdWithin } from "../../domain/base/clients.ts";
import { compose, outgoing, type Composed } from "../../domain/messages/send/compose.ts";
import { accessMentions, mentionsAnybody } from "../../domain/messages/send/mentions.ts";
import { directConversationWithin } from "../../domain/messages/send/recipients.ts";
import { resolvedMark } from "../../domain/channels/topics/resolved.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { member, type Cast } from "./accounts.ts";
import type { Conversation } from "./conversation.ts";
import { notifier, withNotices, type ChannelTarget, type Entry, type Target } from "./entry.ts";
import { getChannel, type Places } from "./places.ts";
import { bots } from "./story/people.ts";
import { writeOut, type Wording } from "./wording.ts";

/** The stored messages, in order. */
export async function storeMessages(
  tx: Tx,
  ctx: Context,
  places: Places,
  conversations: readonly Conversation[],
  wording: Wording,
): Promise<Entry[]> {
  const entries = await enter(tx, wording.cast, places, conversations);
  const contents = new Map<Entry, string>();
  for (const entry of entries) contents.set(entry, contentOf(wording, entry, contents));
  const composing = (entry: Entry, db: Context["db"]) =>
    compose(ctx, db, senderOf(wording.cast, entry), {
      content: contents.get(entry) ?? "",
      clientName: clientNameOf(entry),
      origin: wording.site,
    });

  // A link to a topic contains the id of the topic's first message, which must exist already.
  const isLater = (entry: Entry) => /#\*\*[^*]+>/.test(contents.get(entry) ?? "");
  const composed = new Map<Entry, Composed>();
  for (const entry of entries) if (!isLater(entry)) composed.set(entry, await composing(entry, ctx.db));
  await insert(
    tx,
    ctx,
    entries.filter((entry) => !isLater(entry)),
    composed,
  );
  for (const entry of entries.filter(isLater)) composed.set(entry, await composing(entry, tx));
  await insert(tx, ctx, entries.filter(isLater), composed);

  for (const entry of entries) await applyWhatFollows(tx, ctx, entry, composed.get(entry));
  const ids = [...places.values()].map((channel) => channel.id);
  await sql`
    update channels set first_message_id = (select min(m.id) from messages m where m.conversation_id = channels.id)
    where id = any(${ids}::bigint[])`.execute(tx);
  return entries;
}

function contentOf(wording: Wording, { line, before }: Entry, contents: ReadonlyMap<Entry, string>): string {
  return writeOut(wording, line.text, before && { entry: before, content: contents.get(before) ?? "" });
}

export const senderOf = (cast: Cast, { line }: Entry) => member(cast, line.by);

/** Client names of users, bots and the server itself. */
function clientNameOf({ line: { by } }: Entry): string {
  if (by === notifier) return "Internal";
  return by in bots ? "SkeinBot" : "website";
}

/** Inserts all messages in chronological order, so that ids are in the same order. */
async function enter(tx: Tx, cast: Cast, places: Places, conversations: readonly Conversation[]): Promise<Entry[]> {
  const targets = await findTargets(tx, cast, places, conversations);
  const entries: Entry[] = [];
  for (const [conversation, target] of targets) {
    let before: Entry | undefined;
    for (const line of withNotices(cast, conversation)) {
      before = { id: 0, conversation, target, line, before };
      entries.push(before);
    }
  }
  entries.sort((a, b) => a.line.at.getTime() - b.line.at.getTime());
  // Readers that wait for settled ids must see the transaction that allocated them from the start.
  const { rows } = await sql<{ id: number }>`
    select nextval('messages_id_seq') as id from (select pg_current_xact_id()) as begun, generate_series(1, ${entries.length})
    order by 1`.execute(tx);
  for (const [index, entry] of entries.entries()) entry.id = rows[index]?.id ?? 0;
  return entries;
}

async function findTargets(
  tx: Tx,
  cast: Cast,
  places: Places,
  conversations: readonly Conversation[],
): Promise<Map<Conversation, Target>> {
  const targets = new Map<Conversation, Target>();
  const topics = conversations.flatMap((conversation) => {
    const { place, resolvedBy } = conversation;
    if ("people" in place) return [];
    const topic = resolvedBy === undefined ? place.topic : resolvedMark + place.topic;
    return { conversation, topic, channel: getChannel(places, place.channel) };
  });
  const made = await tx
    .insertInto("topics")
    .values(topics.map(({ channel, topic }) => ({ realm_id: channel.realm_id, channel_id: channel.id, name: topic })))
    .returning(["id", "channel_id", "name"])
    .execute();
  const ids = new Map(made.map(({ id, channel_id, name }) => [`${channel_id} ${name}`, id]));
  for (const { conversation, topic, channel } of topics)
    targets.set(conversation, { channel, topic, topicId: ids.get(`${channel.id} ${topic}`) ?? 0 });
  for (const conversation of conversations)
    if ("people" in conversation.place)
      targets.set(conversation, await findDirectTarget(tx, cast, conversation.place.people));
  return targets;
}

async function findDirectTarget(tx: Tx, cast: Cast, keys: readonly string[]): Promise<Target> {
  const people = keys.map((key) => member(cast, key));
  const [first] = people;
  if (!first) throw new Error("a direct conversation without participants");
  const ids = people.map((user) => user.id);
  const { id } = await directConversationWithin(tx, first, ids);
  return { conversationId: id, people };
}

async function insert(
  tx: Tx,
  ctx: Context,
  entries: readonly Entry[],
  composed: ReadonlyMap<Entry, Composed>,
): Promise<void> {
  const clientIds = new Map<string, number>();
  for (const name of new Set(entries.map(clientNameOf))) clientIds.set(name, await clientIdWithin(tx, name));
  const rows = entries.flatMap((entry) => {
    const text = composed.get(entry);
    if (!text) return [];
    const { id, target, line } = entry;
    const circumstances = { clientId: clientIds.get(text.clientName) ?? 0, mentions: undefined, isToSelf: false };
    const item = outgoing(ctx, text, circumstances);
    return {
      id,
      realm_id: text.sender.realm_id,
      conversation_id: "channel" in target ? target.channel.id : target.conversationId,
      topic_id: "channel" in target ? target.topicId : null,
      sender_id: item.senderId,
      client_id: item.clientId,
      date_sent: line.at,
      content: item.content,
      rendered_content: item.renderedContent,
      is_me_message: item.isMeMessage,
      traits: item.traits,
      read_by_sender: item.readBySender,
    };
  });
  await tx.insertInto("messages").values(rows).execute();
}

/** Adds flags, files, polls and followed topics. */
async function applyWhatFollows(tx: Tx, ctx: Context, entry: Entry, composed: Composed | undefined): Promise<void> {
  const isNewTopic = entry.before === undefined && "channel" in entry.target;
  if (!composed || !(isNewTopic || ctx.consequences.areDue(composed))) return;
  const { target, id } = entry;
  const channelPlace = (at: ChannelTarget) => ({ channelId: at.channel.id, topic: at.topic });
  const mentions = mentionsAnybody(composed.rendered)
    ? await accessMentions(
        tx,
        composed.sender,
        composed.rendered,
        "channel" in target ? channelPlace(target) : undefined,
      )
    : undefined;
  const place = "channel" in target ? { ...target, isNewTopic } : { conversationId: target.conversationId };
  await ctx.consequences.apply(tx, ctx, { ...composed, id, mentions, place });
}
