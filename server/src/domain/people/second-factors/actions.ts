/**
 * Setting up and removing the authenticator app, and removing everything.
 *
 *     none ── startTotp ──► pending ── confirmTotp ──► on ── removeTotp ──► none
 *               ▲              │
 *               └── startTotp ─┘
 */
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { FactorHolder } from "./holder.ts";
import { normalizeCode, removeRecoveryCodes, replaceRecoveryCodes } from "./recovery-codes.ts";
import { isTotpCode, newTotpSecret, stepOf, totpPurpose } from "./totp.ts";
import { factorsOf, isProtected } from "./use-code.ts";

/** How long the first code may take. */
const pendingSeconds = 3600;

/** Stores a new secret, which has to be confirmed; returns it. */
export async function startTotp(tx: Tx, box: SecretBox, { id, realm_id }: FactorHolder): Promise<string> {
  const secret = newTotpSecret();
  const sealed = box.seal(secret, totpPurpose(id));
  const { rows } = await sql`
    insert into totp_secrets as t (user_id, realm_id, sealed_secret) values (${id}, ${realm_id}, ${sealed})
    on conflict (user_id) do update set sealed_secret = excluded.sealed_secret, created_at = now()
    where t.confirmed_at is null
    returning 1`.execute(tx);
  if (rows.length === 0) throw new ApiError("This account already has an authenticator app. Remove it first.");
  return secret;
}

/** Turns the second factor on, and returns the recovery codes; undefined if the code is wrong. */
export async function confirmTotp(
  tx: Tx,
  box: SecretBox,
  holder: FactorHolder,
  given: string,
): Promise<string[] | undefined> {
  const { id, realm_id } = holder;
  const row = await tx
    .selectFrom("totp_secrets")
    .select("sealed_secret")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("confirmed_at", "is", null)
    .where("created_at", ">", sql<Date>`now() - make_interval(secs => ${pendingSeconds})`)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new ApiError("No authenticator app is waiting for its first code. Set one up first.");
  const secret = box.open(row.sealed_secret, totpPurpose(id));
  const code = normalizeCode(given);
  const step = secret === undefined || !isTotpCode(code) ? undefined : stepOf(secret, code);
  if (step === undefined) return undefined;
  await tx
    .updateTable("totp_secrets")
    .set({ confirmed_at: sql<Date>`now()`, last_step: step })
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .execute();
  return replaceRecoveryCodes(tx, holder);
}

/** Returns whether there was an app that was on. */
export async function removeTotp(tx: Tx, holder: FactorHolder): Promise<boolean> {
  const removed = await tx
    .deleteFrom("totp_secrets")
    .where("realm_id", "=", holder.realm_id)
    .where("user_id", "=", holder.id)
    .returning("confirmed_at")
    .execute();
  await dropUnneededCodes(tx, holder);
  return removed.some(({ confirmed_at }) => confirmed_at !== null);
}

/** Removes the recovery codes of an account that has no second factor any more. */
export async function dropUnneededCodes(tx: Tx, holder: FactorHolder): Promise<void> {
  if (!isProtected(await factorsOf(tx, holder))) await removeRecoveryCodes(tx, holder);
}

/** Removes the app, the passkeys and the recovery codes; returns which second factors there were. */
export async function removeFactors(tx: Tx, holder: FactorHolder): Promise<("totp" | "passkey")[]> {
  const passkeys = await tx
    .deleteFrom("passkeys")
    .where("realm_id", "=", holder.realm_id)
    .where("user_id", "=", holder.id)
    .returning("id")
    .execute();
  const hadApp = await removeTotp(tx, holder);
  return [...(hadApp ? (["totp"] as const) : []), ...(passkeys.length > 0 ? (["passkey"] as const) : [])];
}

interface Factors {
  confirmed_at: Date | null;
  last_used_at: Date | null;
  recovery_codes_left: number;
}

/** `confirmed_at` is null without a second factor. */
export async function getFactors(db: Db, { id, realm_id }: FactorHolder): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select t.confirmed_at, t.last_used_at,
      (select count(*) from recovery_codes where realm_id = ${realm_id} and user_id = ${id}) as recovery_codes_left
    from (select 1) as one
      left join totp_secrets t on t.realm_id = ${realm_id} and t.user_id = ${id} and t.confirmed_at is not null`.execute(
    db,
  );
  const [factors] = rows;
  if (!factors) throw new Error("unreachable: the join always has a row");
  return factors;
}
