import { defaultPresenceHistoryDays, type LegacyPresence, type ModernPresence } from "@skein/api/presence.ts";
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { realmHost } from "../realm/address.ts";
import { apiEmailSql } from "../users/email.ts";
import { sightOf } from "../users/guest-view.ts";
import { toLegacyPresence, toModernPresence } from "./formats.ts";
import type { Presence } from "./realm-presences.ts";

const dayMilliseconds = 86_400_000;

export interface PresenceQuestion {
  /** What the asker knows already; -1: nothing. */
  after?: number | undefined;
  /** How far back it shall go for who knows nothing. */
  historyDays?: number | undefined;
  isSlim: boolean;
}

export interface PresenceAnswer {
  presences: Record<string, ModernPresence> | Record<string, LegacyPresence>;
  presence_last_update_id: number;
  server_timestamp: number;
}

type Reader = Pick<Context, "config" | "presences">;

/** Who was there when, of the people the reader sees. `db` may be a transaction. */
export async function listPresencesFor(
  ctx: Reader,
  db: Db,
  user: User,
  { after = -1, historyDays = defaultPresenceHistoryDays, isSlim }: PresenceQuestion,
): Promise<PresenceAnswer> {
  const server_timestamp = Date.now() / 1000;
  if (user.realm.presence_disabled) return { presences: {}, presence_last_update_id: after, server_timestamp };
  const known = await ctx.presences.of(user.realm_id, db);
  const since = after > 0 ? 0 : Date.now() - historyDays * dayMilliseconds;
  const isOfInterest = historyDays > 0 || after > 0;
  const sees = await sightOf(db, user);
  const found = isOfInterest
    ? [...known.since(after)].filter((one) => one.heardAt >= since && sees({ id: one.userId, is_bot: false }))
    : [];
  const people = withOwn(found, user, ctx.presences.waiting(user.id));
  return {
    presences: isSlim ? bySlimId(people) : await byEmail(ctx, db, user, people),
    presence_last_update_id: Math.max(after, known.lastUpdateId ?? -1),
    server_timestamp,
  };
}

/** What one has just said oneself need not have gone round yet. */
function withOwn(found: Presence[], user: User, own: Pick<Presence, "seenAt" | "heardAt"> | undefined): Presence[] {
  if (!own) return found;
  const known = found.find((one) => one.userId === user.id);
  const seenAt = Math.max(own.seenAt, known?.seenAt ?? 0);
  const mine = { userId: user.id, seenAt, heardAt: own.heardAt, updateId: 0 };
  return [...found.filter((one) => one !== known), mine];
}

const bySlimId = (people: Presence[]): Record<string, ModernPresence> =>
  Object.fromEntries(people.map((one) => [one.userId, toModernPresence(one)]));

async function byEmail(ctx: Reader, db: Db, user: User, people: Presence[]): Promise<Record<string, LegacyPresence>> {
  const host = realmHost(ctx.config, user.realm);
  const { rows } = await sql<{ id: number; email: string }>`
    select u.id, ${sql.raw(apiEmailSql("u", "h.host"))} as email
    from users u cross join (select ${host}::text as host) h
    where u.realm_id = ${user.realm_id} and u.id = any(${people.map((one) => one.userId)}::bigint[])`.execute(db);
  const emails = new Map(rows.map((row) => [row.id, row.email]));
  return Object.fromEntries(people.map((one) => [emails.get(one.userId) ?? "", toLegacyPresence(one)]));
}
