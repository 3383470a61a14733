/**
 * Links that are secrets: whoever has one may do one thing, once, until it expires or is taken back. The token is given
 * out when it is made and cannot be had again; it is found by its hash, so that no comparison can be timed.
 *
 *     open ── takeConfirmation ──► used
 *       ├──── revokeConfirmations ──► revoked
 *       └──── time ──► expired
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { z } from "zod";
import { hashKey, type Realm } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";

/** What a link is for, and what is kept with it. */
export interface Purpose<Data> {
  name: string;
  data: z.ZodType<Data>;
}

export const purpose = <Data>(declared: Purpose<Data>): Purpose<Data> => declared;

type Owner = Pick<Realm, "id">;

interface NewConfirmation<Data> {
  data: Data;
  /** Null: valid for good. */
  expiresAt: Date | null;
}

/** The token: letters, digits, `-` and `_`, 256 bits of chance. */
export async function createConfirmation<Data>(
  tx: Tx,
  wanted: Purpose<Data>,
  { realm, ...confirmation }: NewConfirmation<Data> & { realm: Owner },
): Promise<string> {
  const [token = ""] = await createConfirmations(tx, wanted, realm, [confirmation]);
  return token;
}

/** One token for each, in one statement. */
export async function createConfirmations<Data>(
  tx: Tx,
  { name }: Purpose<Data>,
  realm: Owner,
  confirmations: readonly NewConfirmation<Data>[],
): Promise<string[]> {
  const tokens = confirmations.map(newToken);
  await sql`
    insert into confirmations (realm_id, purpose, token_hash, data, expires_at)
    select ${realm.id}, ${name}, hash, data, expires_at
    from unnest(${tokens.map(hashKey)}::bytea[], ${confirmations.map(({ data }) => JSON.stringify(data))}::jsonb[],
      ${confirmations.map(({ expiresAt }) => expiresAt)}::timestamptz[]) as new (hash, data, expires_at)`.execute(tx);
  return tokens;
}

export const newToken = (): string => randomBytes(32).toString("base64url");

export type Confirmation<Data> =
  | { state: "open"; id: number; data: Data }
  /** `unknown`: nobody was ever given this token here, or it is long forgotten. */
  | { state: "used" | "revoked" | "expired" | "unknown" };

/** Looks without using it up. */
export async function peekConfirmation<Data>(
  db: Db,
  wanted: Purpose<Data>,
  realm: Owner,
  token: string,
): Promise<Confirmation<Data>> {
  return toConfirmation(wanted, await byToken(db, wanted, realm, token).executeTakeFirst());
}

/** Uses it up, if it is open; of several who try at once, one finds it so. */
export async function takeConfirmation<Data>(
  tx: Tx,
  wanted: Purpose<Data>,
  realm: Owner,
  token: string,
): Promise<Confirmation<Data>> {
  const row = await byToken(tx, wanted, realm, token).forUpdate().executeTakeFirst();
  const found = toConfirmation(wanted, row);
  if (found.state === "open")
    await tx
      .updateTable("confirmations")
      .set({ used_at: sql<Date>`now()` })
      .where("id", "=", found.id)
      .execute();
  return found;
}

/** Takes back the open ones for this purpose whose data has all of these fields. */
export async function revokeConfirmations<Data extends object>(
  tx: Tx,
  { name }: Purpose<Data>,
  realm: Owner,
  data: Partial<Data>,
): Promise<void> {
  await tx
    .updateTable("confirmations")
    .set({ revoked_at: sql<Date>`now()` })
    .where("realm_id", "=", realm.id)
    .where("purpose", "=", name)
    .where("used_at", "is", null)
    .where("revoked_at", "is", null)
    .where(sql<boolean>`data @> ${JSON.stringify(data)}::jsonb`)
    .execute();
}

/** How many were made for this purpose in the last `seconds`, of those whose data has all of these fields. */
export async function countRecentConfirmations<Data extends object>(
  db: Db,
  { name }: Purpose<Data>,
  realm: Owner,
  { seconds, data = {} }: { seconds: number; data?: Partial<Data> },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from confirmations
    where realm_id = ${realm.id} and purpose = ${name} and created_at > now() - make_interval(secs => ${seconds})
      and data @> ${JSON.stringify(data)}::jsonb`.execute(db);
  return rows[0]?.count ?? 0;
}

const byToken = (db: Db, { name }: Purpose<unknown>, realm: Owner, token: string) =>
  db
    .selectFrom("confirmations")
    .select(["id", "data", "used_at", "revoked_at"])
    .select(sql<boolean>`coalesce(expires_at <= now(), false)`.as("is_expired"))
    .where("token_hash", "=", hashKey(token))
    .where("realm_id", "=", realm.id)
    .where("purpose", "=", name);

interface Row {
  id: number;
  data: unknown;
  used_at: Date | null;
  revoked_at: Date | null;
  is_expired: boolean;
}

function toConfirmation<Data>({ data }: Purpose<Data>, row: Row | undefined): Confirmation<Data> {
  if (!row) return { state: "unknown" };
  if (row.used_at) return { state: "used" };
  if (row.revoked_at) return { state: "revoked" };
  if (row.is_expired) return { state: "expired" };
  return { state: "open", id: row.id, data: data.parse(row.data) };
}
