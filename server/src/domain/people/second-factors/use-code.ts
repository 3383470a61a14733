/**
 * Checks what follows a password: a code, or a passkey.
 *
 * **Invariant:** a code is accepted once, on whichever nodes it arrives at the same time: accepting it changes the row that
 * all of them have to lock.
 */
import type { PasskeyProof } from "@skein/api/passkeys.ts";
import { sql } from "kysely";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import type { SecretBox } from "../../../platform/secret-box.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { SecondFactor, SignInRequest } from "../../organization/audit/sign-ins.ts";
import type { FactorHolder } from "./holder.ts";
import { findPasskey, usePasskey, verifyPasskey } from "./passkeys.ts";
import { normalizeCode, useRecoveryCode } from "./recovery-codes.ts";
import { relyingParty } from "./relying-party.ts";
import { isTotpCode, stepOf, totpPurpose } from "./totp.ts";

/** 401 for those who are signing in; 400 for those who are signed in, because to them 401 means that they no longer are. */
export type FactorStatus = 400 | 401;

/** A request for which a second factor is given. */
export interface FactorRequest extends SignInRequest {
  /** The URL that the client used. */
  origin: string;
}

/** One of the two is given, if any. */
export interface Proof {
  code?: string | undefined;
  passkey?: PasskeyProof | undefined;
}

export const isEmpty = ({ code = "", passkey }: Proof): boolean => code === "" && passkey === undefined;

interface FactorKinds {
  totp: boolean;
  passkey: boolean;
}

export const secondFactorRequired = (status: FactorStatus, { totp, passkey }: FactorKinds) =>
  new ApiError(
    "This account needs a second factor: send second_factor_code, or use an API key created in the browser",
    {
      code: "SECOND_FACTOR_REQUIRED",
      status,
      data: {
        second_factors: [...(totp ? ["totp"] : []), ...(passkey ? ["passkey"] : []), "recovery_code"],
      },
    },
  );

export const wrongCode = (status: FactorStatus) =>
  new ApiError("This code is wrong, or has been used already", { code: "SECOND_FACTOR_INVALID", status });

const wrongPasskey = (status: FactorStatus) =>
  new ApiError("This passkey was not accepted. Try again", { code: "SECOND_FACTOR_INVALID", status });

export const wrongProof = (status: FactorStatus, { passkey }: Proof) =>
  passkey ? wrongPasskey(status) : wrongCode(status);

/** Which second factors the account has. */
export async function factorsOf(db: Db, { id, realm_id }: FactorHolder): Promise<FactorKinds> {
  const { rows } = await sql<FactorKinds>`
    select
      exists (select from totp_secrets where realm_id = ${realm_id} and user_id = ${id} and confirmed_at is not null) as totp,
      exists (select from passkeys where realm_id = ${realm_id} and user_id = ${id}) as passkey`.execute(db);
  return rows[0] ?? { totp: false, passkey: false };
}

/** Whether the account's password alone is not enough. */
export const isProtected = ({ totp, passkey }: FactorKinds): boolean => totp || passkey;

/** Accepts the proof, inside a transaction; undefined if it is wrong or was accepted before. */
export type UseProof = (tx: Tx) => Promise<SecondFactor | undefined>;

/** Does what can be done before the transaction. */
export async function prepareProof(
  ctx: Context,
  realm: Realm,
  holder: FactorHolder,
  { code = "", passkey: given }: Proof,
  { origin }: Pick<FactorRequest, "origin">,
): Promise<UseProof> {
  if (!given) return (tx) => useCode(tx, ctx.secretBox, holder, code);
  const passkey = await findPasskey(ctx.db, realm.id, given.credential);
  if (passkey?.user_id !== holder.id) return async () => undefined;
  const rp = relyingParty(ctx.config, realm, origin);
  const verified = await verifyPasskey(ctx.secretBox, rp, { confirm: holder.id }, passkey, given);
  return async (tx) => (verified && (await usePasskey(tx, verified)) ? "passkey" : undefined);
}

/** Accepts a code of the app or a recovery code; undefined if it is wrong or was accepted before. */
async function useCode(tx: Tx, box: SecretBox, holder: FactorHolder, given: string): Promise<SecondFactor | undefined> {
  const code = normalizeCode(given);
  if (isTotpCode(code)) return (await useTotpCode(tx, box, holder, code)) ? "totp" : undefined;
  return (await useRecoveryCode(tx, holder, code)) ? "recovery_code" : undefined;
}

async function useTotpCode(tx: Tx, box: SecretBox, { id, realm_id }: FactorHolder, code: string): Promise<boolean> {
  const row = await tx
    .selectFrom("totp_secrets")
    .select("sealed_secret")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("confirmed_at", "is not", null)
    .executeTakeFirst();
  const secret = row && box.open(row.sealed_secret, totpPurpose(id));
  const step = secret === undefined ? undefined : stepOf(secret, code);
  if (!row || step === undefined) return false;
  const { numUpdatedRows } = await tx
    .updateTable("totp_secrets")
    .set({ last_step: step, last_used_at: sql<Date>`now()` })
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("sealed_secret", "=", row.sealed_secret)
    .where("last_step", "<", step)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
