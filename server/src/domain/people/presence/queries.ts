import { defaultPresenceHistoryDays, type LegacyPresence, type ModernPresence } from "@skein/api/presence.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import type { User } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { separated, type TextPiece } from "../../../platform/shared-text.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { apiEmailSql } from "../users/email.ts";
import { visibilityFor } from "../users/guest-view.ts";
import { toLegacyPresence, toModernPresence } from "./formats.ts";
import type { Presence } from "./realm-presences.ts";

const dayMilliseconds = 86_400_000;

export interface PresenceQuery {
  /** The last update id the client knows; -1: none. */
  after?: number | undefined;
  /** How far back the result goes for a client that knows none. */
  historyDays?: number | undefined;
  isSlim: boolean;
}

export interface PresenceResult {
  presences: Record<string, ModernPresence> | Record<string, LegacyPresence>;
  presence_last_update_id: number;
  server_timestamp: number;
}

type Reader = Pick<Context, "config" | "presences">;

/** The presence of the users the reader can see. `db` may be a transaction. */
export async function listPresencesFor(
  ctx: Reader,
  db: Db,
  user: User,
  { after = -1, historyDays = defaultPresenceHistoryDays, isSlim }: PresenceQuery,
): Promise<PresenceResult> {
  const server_timestamp = Date.now() / 1000;
  if (user.realm.presence_disabled) return { presences: {}, presence_last_update_id: after, server_timestamp };
  const known = await ctx.presences.of(user.realm_id, db);
  const since = after > 0 ? 0 : Date.now() - historyDays * dayMilliseconds;
  const isRequested = historyDays > 0 || after > 0;
  const sees = await visibilityFor(db, user);
  const found = isRequested
    ? [...known.since(after)].filter((one) => one.connectedAt >= since && sees({ id: one.userId, is_bot: false }))
    : [];
  const people = withOwn(found, user, ctx.presences.pending(known, user.id));
  return {
    presences: isSlim ? await bySlimId(db, people) : await byEmail(ctx, db, user, people),
    presence_last_update_id: Math.max(after, known.lastUpdateId ?? -1),
    server_timestamp,
  };
}

/**
 * What was reported after an update id, as the text of the response to a reader who sees everybody. This is what the clients
 * of a large organization request all the time.
 */
export async function listPresencesAsText(
  ctx: Pick<Context, "presences">,
  db: Db,
  user: User,
  after: number,
): Promise<TextPiece[]> {
  const server_timestamp = Date.now() / 1000;
  const known = await ctx.presences.of(user.realm_id, db);
  const own = ctx.presences.pending(known, user.id);
  // Without a pending report there is nobody to leave out; no user has this id.
  const { texts, neverActive } = known.textSince(after, own ? user.id : 0);
  const others = own ? withOwn(neverActive, user, own, known.find(user.id)) : neverActive;
  const rest = JSON.stringify(await bySlimId(db, others)).slice(1, -1);
  const last = Math.max(after, known.lastUpdateId ?? -1);
  return [
    `{"result":"success","msg":"","presence_last_update_id":${last},"server_timestamp":${server_timestamp},"presences":{`,
    ...separated([...texts, rest]),
    "}}",
  ];
}

/** Adds the user's own latest report, which may not be published yet. */
function withOwn(
  found: Presence[],
  user: User,
  own: Pick<Presence, "activeAt" | "connectedAt"> | undefined,
  known = found.find((one) => one.userId === user.id),
): Presence[] {
  if (!own) return found;
  const activeAt = Math.max(own.activeAt, known?.activeAt ?? 0);
  const mine = { userId: user.id, activeAt, connectedAt: own.connectedAt, updateId: 0 };
  return [...found.filter((one) => one !== known), mine];
}

async function bySlimId(db: Db, people: Presence[]): Promise<Record<string, ModernPresence>> {
  const joinedAt = await joinTimes(
    db,
    people.filter((one) => one.activeAt === 0),
  );
  return Object.fromEntries(people.map((one) => [one.userId, toModernPresence(one, joinedAt.get(one.userId) ?? 0)]));
}

/** When they joined, in milliseconds. Few users were never active, so mostly there is no query. */
async function joinTimes(db: Db, people: Presence[]): Promise<Map<number, number>> {
  if (people.length === 0) return new Map();
  const { rows } = await sql<{ id: number; date_joined: Date }>`
    select id, date_joined from users where id = any(${people.map((one) => one.userId)}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.date_joined.getTime()]));
}

async function byEmail(ctx: Reader, db: Db, user: User, people: Presence[]): Promise<Record<string, LegacyPresence>> {
  const host = realmHost(ctx.config, user.realm);
  const { rows } = await sql<{ id: number; email: string }>`
    select u.id, ${sql.raw(apiEmailSql("u", "h.host"))} as email
    from users u cross join (select ${host}::text as host) h
    where u.realm_id = ${user.realm_id} and u.id = any(${people.map((one) => one.userId)}::bigint[])`.execute(db);
  const emails = new Map(rows.map((row) => [row.id, row.email]));
  return Object.fromEntries(people.map((one) => [emails.get(one.userId) ?? "", toLegacyPresence(one)]));
}
