/** Adds what happens to messages after sending: reactions, votes, edits, moves, stars, and who has read them. */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { accessEmoji, type Emoji } from "../../domain/organization/emoji/which-emoji.ts";
import { compose } from "../../domain/messages/send/compose.ts";
import { widgetType } from "../../domain/messages/submessages/widget.ts";
import { resolvedMark } from "../../domain/channels/topics/resolved.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { member, type Cast } from "./accounts.ts";
import { notifier, type Entry } from "./entry.ts";
import { senderOf } from "./messages.ts";
import { getChannel, type Places } from "./places.ts";
import { writeOut, type Wording } from "./wording.ts";

const minute = 60 * 1000;

export async function addReactions(tx: Tx, cast: Cast, entries: readonly Entry[]): Promise<void> {
  const realmId = member(cast, "olive").realm_id;
  const known = new Map<string, Emoji>();
  for (const { line } of entries)
    for (const { emoji } of line.reactions)
      if (!known.has(emoji)) known.set(emoji, await accessEmoji(tx, realmId, { emoji_name: emoji }));
  const rows = entries.flatMap(({ id, line }) =>
    line.reactions.flatMap(({ emoji, by }) => {
      const which = known.get(emoji);
      return which
        ? by.map((key) => ({ ...which, realm_id: realmId, message_id: id, user_id: member(cast, key).id }))
        : [];
    }),
  );
  await tx
    .insertInto("reactions")
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** A vote in a poll, or a completed task in a to-do list. */
export async function addVotes(tx: Tx, cast: Cast, entries: readonly Entry[]): Promise<void> {
  const rows = entries.flatMap(({ id, line }) =>
    line.votes.flatMap(({ option, by }) => {
      const data = line.text.startsWith("/todo")
        ? { type: "strike", key: `${option},canned` }
        : { type: "vote", key: `canned,${option}`, vote: 1 };
      return by.map((key) => {
        const { id: sender_id, realm_id } = member(cast, key);
        return { realm_id, message_id: id, sender_id, msg_type: widgetType, content: JSON.stringify(data) };
      });
    }),
  );
  await tx.insertInto("submessages").values(rows).execute();
}

export async function addEdits(tx: Tx, ctx: Context, entries: readonly Entry[], wording: Wording): Promise<void> {
  for (const entry of entries) {
    const { id, line } = entry;
    if (line.textBefore === undefined) continue;
    const editor = senderOf(wording.cast, entry);
    const content = writeOut(wording, line.textBefore, undefined);
    const said = await compose(ctx, ctx.db, editor, { content, clientName: "website", origin: wording.site });
    await tx
      .insertInto("message_edits")
      .values({
        realm_id: editor.realm_id,
        message_id: id,
        user_id: editor.id,
        edited_at: new Date(line.at.getTime() + 3 * minute),
        prev_content: said.content,
        prev_rendered_content: said.rendered.html,
      })
      .execute();
  }
}

/** Resolves topics at the time of the server's notice. */
export async function addResolutions(tx: Tx, cast: Cast, entries: readonly Entry[]): Promise<void> {
  const rows = entries.flatMap(({ id, line, target, before, conversation: { resolvedBy } }) => {
    const isIt = line.by === notifier && resolvedBy !== undefined && line.text.endsWith("resolved.");
    if (!isIt || !before || !("channel" in target)) return [];
    const editor = member(cast, resolvedBy);
    return {
      realm_id: editor.realm_id,
      topic_id: target.topicId,
      user_id: editor.id,
      edited_at: line.at,
      prev_topic: target.topic.slice(resolvedMark.length),
      topic: target.topic,
      up_to_id: id - 1,
      is_resolution: true,
    };
  });
  await tx.insertInto("topic_edits").values(rows).execute();
}

/** Moved messages: their recipients received and read them in the original channel. */
export async function addMoves(tx: Tx, cast: Cast, places: Places, entries: readonly Entry[]): Promise<void> {
  const notices = entries.filter(({ line, conversation }) => line.by === notifier && conversation.moved !== undefined);
  for (const { id: at, line, target, conversation } of notices) {
    const { moved } = conversation;
    if (!moved || !("channel" in target)) continue;
    const from = getChannel(places, moved.channel);
    const editor = member(cast, moved.by);
    const ids = entries
      .filter((entry) => entry.conversation === conversation && entry.id < at)
      .map((entry) => entry.id);
    await sql`
      insert into message_edits (realm_id, message_id, user_id, edited_at, prev_topic, topic, prev_channel_id, channel_id)
      select ${editor.realm_id}, id, ${editor.id}, ${line.at}, ${moved.topic}, ${target.topic}, ${from.id}, ${target.channel.id}
      from unnest(${ids}::bigint[]) as id`.execute(tx);
    await sql`
      with edit as (select nextval('edit_ids') as id)
      update messages m set topic_since = edit.id, origin_id = ${from.id}, entered_at = ${at}
      from edit where m.id = any(${ids}::bigint[])`.execute(tx);
  }
}

export async function addStars(tx: Tx, cast: Cast, entries: readonly Entry[]): Promise<void> {
  const { id, realm_id } = member(cast, "olive");
  const starred = entries.filter(({ line }) => line.isStarred).map((entry) => entry.id);
  await sql`
    insert into message_flags (user_id, message_id, realm_id, starred)
    select ${id}, message, ${realm_id}, true from unnest(${starred}::bigint[]) as message
    on conflict (user_id, message_id) do update set starred = true`.execute(tx);
}

/** Everybody has read everything, except the owner, who has read what was sent before she left. */
export async function markRead(tx: Tx, cast: Cast, entries: readonly Entry[], ownerLeft: Date): Promise<void> {
  const { id: olive, realm_id } = member(cast, "olive");
  const end = (entries.at(-1)?.id ?? 0) + 1;
  const unreadFrom = entries.find(({ line }) => line.at > ownerLeft)?.id ?? end;
  for (const table of ["subscriptions", "participations"])
    await sql`
      update ${sql.table(table)}
      set read = int8multirange(int8range(1, case when user_id = ${olive} then ${unreadFrom}::bigint else ${end}::bigint end))
      where realm_id = ${realm_id}`.execute(tx);
}
