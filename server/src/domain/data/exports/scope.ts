/**
 * What an export may contain. A public export contains what every member can read. One with consent also contains what the
 * consenting users can read, by the usual access rules. A conversation is exported as a whole, or, if it is a channel with
 * protected history, only with the messages that a consenting user received. Only the operator, who has the database, can
 * export everything; such an export is never stored where administrators could download it.
 */
import { exportTypes } from "@skein/api/exports.ts";
import { sql, type RawBuilder } from "kysely";
import type { Db } from "../../../platform/db/connect.ts";
import { contentAccessSql, type ReaderSql } from "../../channels/access.ts";
import { isReadable, readerJoins } from "../../messages/access.ts";
import type { ExportRow } from "./access.ts";

/** The type of an export of everything, which cannot be requested by the API. */
export const everything = 3;

/** What to export. */
export interface ExportRequest extends Pick<ExportRow, "realm_id" | "export_type"> {
  /** Null if the server does not list it. */
  id: number | null;
}

export interface Scope {
  realmId: number;
  /** IDs of the users whose private data is exported, ascending. */
  consenting: number[];
  /** Channels and direct conversations that are exported as a whole. */
  whole: number[];
  /** Channels of which only some messages are exported. */
  protected: number[];
  /** Direct conversations; `whole` contains them, too. */
  direct: number[];
  /** What the organization lets people see of edits: its `message_edit_history_visibility_policy`. */
  editHistory: string;
}

/** A user `u` of the organization `r`. */
const person: ReaderSql = {
  id: "u.id",
  rank: "rank_of(u.role, u.date_joined, r.waiting_period_threshold)",
};

export async function findScope(db: Db, { realm_id, export_type }: ExportRequest): Promise<Scope> {
  if (export_type === everything) return wholeOrganization(db, realm_id);
  const consenting = export_type === exportTypes.withConsent ? await listConsenting(db, realm_id) : [];
  const { rows: channels } = await sql<{ id: number; is_shared: boolean }>`
    select c.id, c.history_public_to_subscribers as is_shared
    from channels c join realms r on r.id = c.realm_id
    where c.realm_id = ${realm_id} and (not c.invite_only or exists (
      select from users u left join subscriptions s on s.user_id = u.id and s.channel_id = c.id
      where u.id = any(${consenting}::bigint[])
        and ${sql.raw(contentAccessSql({ channel: "c", subscription: "s", reader: person }))}))
    order by c.id`.execute(db);
  const { rows: conversations } = await sql<{ id: number }>`
    select distinct conversation_id as id from participations where user_id = any(${consenting}::bigint[])
    order by conversation_id`.execute(db);
  const { message_edit_history_visibility_policy: editHistory } = await db
    .selectFrom("realms")
    .select("message_edit_history_visibility_policy")
    .where("id", "=", realm_id)
    .executeTakeFirstOrThrow();
  const direct = conversations.map(({ id }) => id);
  const shared = channels.filter((channel) => channel.is_shared).map(({ id }) => id);
  return {
    realmId: realm_id,
    consenting,
    whole: [...shared, ...direct],
    protected: channels.filter((channel) => !channel.is_shared).map(({ id }) => id),
    direct,
    editHistory,
  };
}

async function wholeOrganization(db: Db, realmId: number): Promise<Scope> {
  const { rows: people } = await sql<{ id: number }>`
    select id from users where realm_id = ${realmId} order by id`.execute(db);
  const { rows: channels } = await sql<{ id: number }>`
    select id from channels where realm_id = ${realmId} order by id`.execute(db);
  const { rows: conversations } = await sql<{ id: number }>`
    select distinct conversation_id as id from participations where realm_id = ${realmId}
    order by conversation_id`.execute(db);
  const direct = conversations.map(({ id }) => id);
  return {
    realmId,
    consenting: people.map(({ id }) => id),
    whole: [...channels.map(({ id }) => id), ...direct],
    protected: [],
    direct,
    editHistory: "all",
  };
}

async function listConsenting(db: Db, realmId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from users where realm_id = ${realmId} and is_active and not is_bot
      and settings ->> 'allow_private_data_export' = 'true'
    order by id`.execute(db);
  return rows.map(({ id }) => id);
}

/** SQL: whether the message `m` is exported. */
export const isInScope = (scope: Scope): RawBuilder<boolean> => sql`(
  m.conversation_id = any(${scope.whole}::bigint[])
  or (m.conversation_id = any(${scope.protected}::bigint[]) and exists (
    select from users u join realms r on r.id = u.realm_id ${sql.raw(readerJoins(person))}
    where u.id = any(${scope.consenting}::bigint[]) and ${sql.raw(isReadable(person))})))`;
