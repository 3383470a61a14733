/**
 * What a merge does with every column that refers to users. A test lists all columns of the database and fails if one of
 * them has no rule here, so that a new table cannot be forgotten.
 *
 * Every rule finds what is left of the merged account and moves it: it can be repeated, and a merge that was interrupted
 * continues where it was. There is no audit log; the history of edits (`message_edits`, `topic_edits`) names the person who
 * made them, so it moves like everything else.
 */
import { fieldTypes } from "@skein/api/profile-fields.ts";
import { sql, type RawBuilder } from "kysely";
import type { Tx } from "../../../platform/db/transaction.ts";
import { mergeDeleted } from "./deleted-messages.ts";
import { rewriteMentions, type Renaming } from "./mentions.ts";
import { merged, type Pair } from "./pair.ts";
import { mergeSubmessages, type Submessage } from "./widgets.ts";

/** Changes up to `limit` rows; returns how many it found. */
type Change = (tx: Tx, renaming: Renaming, limit: number) => Promise<number>;

/** Or which step does it, or why nothing is to be done. */
export type Rule = Change | { doneBy: string } | { stays: string };

async function count(tx: Tx, statement: RawBuilder<unknown>): Promise<number> {
  const { rows } = await statement.execute(tx);
  return rows.length;
}

const someOf = (table: string, condition: RawBuilder<unknown>, limit: number) =>
  sql`ctid = any(array(select ctid from ${sql.table(table)} where ${condition} limit ${limit}))`;

/** The row belongs to the other account. */
const give =
  (table: string, column: string): Change =>
  (tx, { from, into }, limit) =>
    count(
      tx,
      sql`update ${sql.table(table)} set ${sql.ref(column)} = ${into.id}
        where ${someOf(table, sql`${sql.ref(column)} = ${from.id}`, limit)} returning 1`,
    );

/** The row belongs to the other account, unless that has one of its own, which wins. */
const giveIfMissing =
  (table: string, column: string): Change =>
  (tx, { from, into }, limit) =>
    count(
      tx,
      sql`with gone as (
          delete from ${sql.table(table)} where ${someOf(table, sql`${sql.ref(column)} = ${from.id}`, limit)} returning *),
        given as (
          insert into ${sql.table(table)}
          select (jsonb_populate_record(null::${sql.table(table)},
            to_jsonb(gone) || jsonb_build_object(${column}::text, ${into.id}::bigint))).*
          from gone on conflict do nothing)
        select from gone`,
    );

const remove =
  (table: string, column: string): Change =>
  (tx, { from }, limit) =>
    count(
      tx,
      sql`delete from ${sql.table(table)} where ${someOf(table, sql`${sql.ref(column)} = ${from.id}`, limit)} returning 1`,
    );

const uniteFlags: Change = (tx, { from, into }, limit) =>
  count(
    tx,
    sql`with gone as (
        delete from message_flags where ${someOf("message_flags", sql`user_id = ${from.id}`, limit)} returning *),
      given as (
        insert into message_flags as f (user_id, message_id, realm_id, starred, collapsed, mentioned,
          topic_wildcard_mentioned, has_alert_word)
        select ${into.id}, message_id, realm_id, starred, collapsed, mentioned, topic_wildcard_mentioned, has_alert_word
        from gone
        on conflict (user_id, message_id) do update set starred = f.starred or excluded.starred,
          collapsed = f.collapsed or excluded.collapsed, mentioned = f.mentioned or excluded.mentioned,
          topic_wildcard_mentioned = f.topic_wildcard_mentioned or excluded.topic_wildcard_mentioned,
          has_alert_word = f.has_alert_word or excluded.has_alert_word)
      select from gone`,
  );

/** The triggers that count each person's files see only new and removed ones. */
const giveFiles: Change = async (tx, { from, into }, limit) => {
  const { rows } = await sql<{ size: number }>`
    update attachments set owner_id = ${into.id} where ${someOf("attachments", sql`owner_id = ${from.id}`, limit)}
    returning size`.execute(tx);
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  if (rows.length > 0)
    await sql`insert into user_upload_space as u (user_id, bytes) values (${into.id}, ${bytes})
      on conflict (user_id) do update set bytes = u.bytes + excluded.bytes`.execute(tx);
  return rows.length;
};

/** Lists of people as JSON text. */
const mergeNamedPeople: Change = async (tx, pair) => {
  const { rows } = await sql<{ user_id: number; field_id: number; value: string }>`
    select v.user_id, v.field_id, v.value from custom_profile_values v join custom_profile_fields f on f.id = v.field_id
    where f.realm_id = ${pair.realmId}
      -- Values of other types may not be JSON, and conditions are checked in any order.
      and case when f.field_type = ${fieldTypes.USER.id} then v.value::jsonb @> to_jsonb(${pair.from.id}::bigint) end
    for update of v`.execute(tx);
  for (const { user_id, field_id, value } of rows) {
    const ids = JSON.parse(value) as number[]; // check-value.ts stores nothing else
    await tx
      .updateTable("custom_profile_values")
      .set({ value: JSON.stringify(merged(ids, pair)) })
      .where("user_id", "=", user_id)
      .where("field_id", "=", field_id)
      .execute();
  }
  return rows.length;
};

const mergeNotices: Change = async (tx, pair) => {
  type People = { user_id: number; channel_ids: number[] }[];
  const { rows } = await sql<{ id: number; people: People }>`
    select id, people from subscription_notices where realm_id = ${pair.realmId}
      and people @> jsonb_build_array(jsonb_build_object('user_id', ${pair.from.id}::bigint)) for update`.execute(tx);
  for (const { id, people } of rows) {
    const byUser = Map.groupBy(people, ({ user_id }) => (user_id === pair.from.id ? pair.into.id : user_id));
    const united = [...byUser].map(([user_id, entries]) => ({
      user_id,
      channel_ids: [...new Set(entries.flatMap((entry) => entry.channel_ids))],
    }));
    await tx
      .updateTable("subscription_notices")
      .set({ people: JSON.stringify(united) })
      .where("id", "=", id)
      .execute();
  }
  return rows.length;
};

const mergeDraftRecipients: Change = async (tx, pair) => {
  const { rows } = await sql<{ id: number; recipients: number[] }>`
    select id, recipients from drafts where realm_id = ${pair.realmId} and type = 'private'
      and ${pair.from.id}::bigint = any(recipients) for update`.execute(tx);
  for (const { id, recipients } of rows)
    await sql`update drafts set recipients = ${merged(recipients, pair)}::bigint[] where id = ${id}`.execute(tx);
  return rows.length;
};

/** A direct message is scheduled for the other parties, or for the sender alone if it is a note to oneself. */
const mergeScheduled: Change = async (tx, renaming, limit) => {
  const { from } = renaming;
  const { rows } = await sql<{ id: number; sender_id: number; user_ids: number[] | null }>`
    select id, sender_id, user_ids from scheduled_messages where realm_id = ${renaming.realmId}
      and (sender_id = ${from.id} or ${from.id}::bigint = any(user_ids)) order by id limit ${limit} for update`.execute(
    tx,
  );
  for (const { id, sender_id, user_ids } of rows) {
    const [sender = 0] = merged([sender_id], renaming);
    const others = user_ids && merged(user_ids, renaming).filter((party) => party !== sender);
    const parties = others?.length === 0 ? [sender] : others;
    await sql`update scheduled_messages set sender_id = ${sender}, user_ids = ${parties}::bigint[]
      where id = ${id}`.execute(tx);
  }
  return rows.length;
};

/** Texts of a few rows each, which are not worth a search with progress. */
const rewriteTexts =
  (
    table: "drafts" | "reminders" | "saved_snippets" | "scheduled_messages",
    html: "rendered_content" | undefined,
  ): Change =>
  async (tx, renaming) => {
    const { rows } = await sql<{ id: number; content: string; html: string | null }>`
      select id, content, ${html === undefined ? sql`null::text` : sql.ref(html)} as html from ${sql.table(table)}
      where realm_id = ${renaming.realmId} and content ~ '@_?\\*\\*' for update`.execute(tx);
    let changed = 0;
    for (const { id, ...text } of rows) {
      const rewritten = rewriteMentions(text, renaming);
      if (rewritten.content === text.content && rewritten.html === text.html) continue;
      const alsoHtml = html === undefined ? sql`` : sql`, ${sql.ref(html)} = ${rewritten.html}`;
      await sql`update ${sql.table(table)} set content = ${rewritten.content} ${alsoHtml} where id = ${id}`.execute(tx);
      changed++;
    }
    return changed;
  };

/** Votes in a poll, tasks of a to-do list: all of a message at once, because they refer to each other. */
const mergeWidgets: Change = async (tx, pair, limit) => {
  const { rows: found } = await sql<{ message_id: number }>`
    select distinct message_id from submessages where sender_id = ${pair.from.id} order by message_id limit ${limit}`.execute(
    tx,
  );
  for (const { message_id } of found) {
    await sql`select from messages where id = ${message_id} for update`.execute(tx);
    const { rows } = await sql<Submessage>`
      select id, sender_id, content from submessages where message_id = ${message_id} order by id for update`.execute(
      tx,
    );
    for (const { id, sender_id, content } of mergeSubmessages(rows, pair))
      await sql`update submessages set sender_id = ${sender_id}, content = ${content} where id = ${id}`.execute(tx);
  }
  return found.length;
};

const endLinks: Change = (tx, { realmId, from }) =>
  count(
    tx,
    sql`delete from confirmations where realm_id = ${realmId}
      and data @> jsonb_build_object('user_id', ${from.id}::bigint) returning 1`,
  );

/** A newer export of another chat then adds to the other account. */
const mergeImported: Change = (tx, { realmId, from, into }) =>
  count(
    tx,
    sql`update import_map set id = ${into.id}
      where realm_id = ${realmId} and kind = 'person' and id = ${from.id} returning 1`,
  );

const bots = { stays: "only bots have one, and bots are not merged" };

/** The audit log says who did what at the time. */
const chained = { stays: "entries are chained by hashes, and never change" };

export const rules: Record<string, Rule> = {
  "alert_words.user_id": giveIfMissing("alert_words", "user_id"),
  "api_keys.user_id": remove("api_keys", "user_id"),
  "attachments.owner_id": giveFiles,
  "bot_storage.user_id": giveIfMissing("bot_storage", "user_id"),
  "bots.user_id": bots,
  "browser_sessions.user_id": remove("browser_sessions", "user_id"),
  // Whoever signs in with the merged account's identity gets the other account.
  "external_identities.user_id": giveIfMissing("external_identities", "user_id"),
  "channel_folders.creator_id": give("channel_folders", "creator_id"),
  "channels.creator_id": give("channels", "creator_id"),
  "confirmations.data": endLinks,
  "conversations.direct_key": { doneBy: "conversations.ts" },
  "custom_emoji.author_id": give("custom_emoji", "author_id"),
  "custom_profile_values.user_id": giveIfMissing("custom_profile_values", "user_id"),
  "custom_profile_values.value": mergeNamedPeople,
  "deleted_messages.message": mergeDeleted,
  "drafts.content": rewriteTexts("drafts", undefined),
  "drafts.recipients": mergeDraftRecipients,
  "drafts.user_id": give("drafts", "user_id"),
  "event_queues.user_id": { doneBy: "events/end-queues.ts" },
  "finished_onboarding_steps.user_id": giveIfMissing("finished_onboarding_steps", "user_id"),
  "import_map.id": mergeImported,
  "incoming_deliveries.bot_id": bots,
  "invitation_links.invited_by_id": give("invitation_links", "invited_by_id"),
  "invitations.invited_by_id": give("invitations", "invited_by_id"),
  "message_edits.prev_content": { doneBy: "messages.ts" },
  "message_edits.prev_rendered_content": { doneBy: "messages.ts" },
  "message_edits.user_id": give("message_edits", "user_id"),
  "message_flags.user_id": uniteFlags,
  "messages.content": { doneBy: "messages.ts" },
  "messages.rendered_content": { doneBy: "messages.ts" },
  "messages.sender_id": { doneBy: "messages.ts" },
  // A mail is written for what is still unread then.
  "missed_message_batches.user_id": giveIfMissing("missed_message_batches", "user_id"),
  "missed_messages.user_id": giveIfMissing("missed_messages", "user_id"),
  "muted_users.muted_user_id": { doneBy: "mutes.ts" },
  "muted_users.user_id": { doneBy: "mutes.ts" },
  "navigation_views.user_id": giveIfMissing("navigation_views", "user_id"),
  "notification_revisits.user_id": giveIfMissing("notification_revisits", "user_id"),
  "participations.user_id": { doneBy: "conversations.ts" },
  "passkeys.user_id": remove("passkeys", "user_id"),
  "presences.user_id": remove("presences", "user_id"),
  "push_devices.user_id": remove("push_devices", "user_id"),
  "pushes.user_id": { doneBy: "the rule of push_devices.user_id" },
  "reactions.user_id": giveIfMissing("reactions", "user_id"),
  "realm_exports.acting_user_id": give("realm_exports", "acting_user_id"),
  "realm_imports.acting_user_id": give("realm_imports", "acting_user_id"),
  "recovery_codes.user_id": remove("recovery_codes", "user_id"),
  "reminders.content": rewriteTexts("reminders", "rendered_content"),
  "reminders.rendered_content": { doneBy: "the rule of reminders.content" },
  "reminders.user_id": give("reminders", "user_id"),
  "resumable_uploads.owner_id": give("resumable_uploads", "owner_id"),
  "saved_snippets.content": rewriteTexts("saved_snippets", undefined),
  "saved_snippets.user_id": give("saved_snippets", "user_id"),
  "scheduled_messages.content": rewriteTexts("scheduled_messages", "rendered_content"),
  "scheduled_messages.rendered_content": { doneBy: "the rule of scheduled_messages.content" },
  "scheduled_messages.sender_id": mergeScheduled,
  "scheduled_messages.user_ids": { doneBy: "the rule of scheduled_messages.sender_id" },
  "submessages.content": { doneBy: "the rule of submessages.sender_id" },
  "submessages.sender_id": mergeWidgets,
  "subscription_notices.actor_id": give("subscription_notices", "actor_id"),
  "subscription_notices.people": mergeNotices,
  "subscriptions.user_id": { doneBy: "subscriptions.ts" },
  "topic_edits.user_id": give("topic_edits", "user_id"),
  "totp_secrets.user_id": remove("totp_secrets", "user_id"),
  // The account is the directory's no longer; the other one has a name of its own there.
  "scim_users.user_id": remove("scim_users", "user_id"),
  "user_group_members.user_id": giveIfMissing("user_group_members", "user_id"),
  "user_groups.creator_id": give("user_groups", "creator_id"),
  "audit_log.actor_id": chained,
  "audit_log.after": chained,
  "audit_log.before": chained,
  "audit_log.target_id": chained,
  "user_merges.from_id": { stays: "it is the record of this merge" },
  "user_merges.into_id": { stays: "it is the record of an earlier merge" },
  "user_statuses.user_id": giveIfMissing("user_statuses", "user_id"),
  "user_topics.user_id": giveIfMissing("user_topics", "user_id"),
  // After attachments.owner_id, which adds to the other account's.
  "user_upload_space.user_id": remove("user_upload_space", "user_id"),
  "users.bot_owner_id": give("users", "bot_owner_id"),
  "users.id": { stays: "the account itself, deactivated" },
};

const changes = Object.values(rules).filter((rule) => typeof rule === "function");

/** Moves up to `limit` rows of each kind; returns how many of the kind with the most, and of all. */
export async function moveRows(tx: Tx, renaming: Renaming, limit: number): Promise<{ most: number; total: number }> {
  let most = 0;
  let total = 0;
  for (const change of changes) {
    const found = await change(tx, renaming, limit);
    most = Math.max(most, found);
    total += found;
  }
  return { most, total };
}

/** What a deactivation would revoke or deactivate along with the account, and the other account keeps. */
export async function moveBeforeDeactivation(tx: Tx, pair: Pair): Promise<void> {
  const given = [
    give("users", "bot_owner_id"),
    give("invitations", "invited_by_id"),
    give("invitation_links", "invited_by_id"),
  ];
  for (const change of given) await change(tx, { ...pair, namesakes: [] }, Number.MAX_SAFE_INTEGER);
}
