/**
 * Secret links. A link allows its holder to do one thing, once, until it expires or is revoked. The token is returned
 * when it is created and never again; only its hash is stored, and the lookup by hash prevents timing attacks.
 *
 *     open ── consumeConfirmation ──► used
 *       ├──── revokeConfirmations ──► revoked
 *       └──── time ──► expired
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { z } from "zod";
import { hashKey } from "../../identity/sessions.ts";
import type { Realm } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Chore } from "../../jobs/chore.ts";

/** The purpose of a link and the data stored with it. */
export interface Purpose<Data> {
  name: string;
  data: z.ZodType<Data>;
}

export const purpose = <Data>(declared: Purpose<Data>): Purpose<Data> => declared;

type Owner = Pick<Realm, "id">;

interface NewConfirmation<Data> {
  data: Data;
  /** Null: never expires. */
  expiresAt: Date | null;
}

/** Returns the token: 256 random bits as letters, digits, `-` and `_`. */
export async function createConfirmation<Data>(
  tx: Tx,
  declared: Purpose<Data>,
  { realm, ...confirmation }: NewConfirmation<Data> & { realm: Owner },
): Promise<string> {
  const [token = ""] = await createConfirmations(tx, declared, realm, [confirmation]);
  return token;
}

/** Returns one token for each confirmation, created in one statement. */
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
  /** `unknown`: no such token was issued in this organization, or it was deleted long after it expired. */
  | { state: "used" | "revoked" | "expired" | "unknown" };

/** Reads a confirmation without consuming it. */
export async function peekConfirmation<Data>(
  db: Db,
  declared: Purpose<Data>,
  realm: Owner,
  token: string,
): Promise<Confirmation<Data>> {
  return toConfirmation(declared, await byToken(db, declared, realm, token).executeTakeFirst());
}

/** Consumes a confirmation if it is open. Of several concurrent calls, exactly one finds it open. */
export async function consumeConfirmation<Data>(
  tx: Tx,
  declared: Purpose<Data>,
  realm: Owner,
  token: string,
): Promise<Confirmation<Data>> {
  const row = await byToken(tx, declared, realm, token).forUpdate().executeTakeFirst();
  const found = toConfirmation(declared, row);
  if (found.state === "open")
    await tx
      .updateTable("confirmations")
      .set({ used_at: sql<Date>`now()` })
      .where("id", "=", found.id)
      .execute();
  return found;
}

/** Revokes the open confirmations for this purpose whose data contains all of these fields. */
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

/** Counts the confirmations created for this purpose in the last `seconds` whose data contains all of these fields. */
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

/** For 60 days an expired link is reported as expired; after that it is unknown. */
export const removeOldConfirmations: Chore = {
  name: "removing old confirmation links",
  everyMilliseconds: 10_000,
  run: async ({ db }) => {
    await sql`delete from confirmations where expires_at < now() - interval '60 days'`.execute(db);
  },
};
