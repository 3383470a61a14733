/**
 * Recovery codes, for people who have lost their authenticator app: 80 random bits each, shown once, stored as SHA-256, and
 * accepted once.
 */
import { randomBytes } from "node:crypto";
import { recoveryCodeCount } from "@skein/api/second-factors.ts";
import { hashKey } from "../../../identity/sessions.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { FactorHolder } from "./holder.ts";

/** 32 letters and digits, none of which is taken for another. */
const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const length = 16;

/** As people may type it. */
export const normalizeCode = (code: string): string => code.replaceAll(/[\s-]/g, "").toUpperCase();

/** In groups of four: ABCD-EFGH-JKLM-NPQR. */
function newRecoveryCode(): string {
  // 256 is a multiple of 32, so that all characters are equally likely.
  const text = Array.from(randomBytes(length), (byte) => alphabet[byte % alphabet.length]).join("");
  return text.replaceAll(/(.{4})(?=.)/g, "$1-");
}

/** Replaces all codes of the account; returns the new ones. */
export async function replaceRecoveryCodes(tx: Tx, { id: user_id, realm_id }: FactorHolder): Promise<string[]> {
  await removeRecoveryCodes(tx, { id: user_id, realm_id });
  const codes = Array.from({ length: recoveryCodeCount }, newRecoveryCode);
  await tx
    .insertInto("recovery_codes")
    .values(codes.map((code) => ({ realm_id, user_id, code_hash: hashKey(normalizeCode(code)) })))
    .execute();
  return codes;
}

/** Returns whether it was a code of this account. Of several requests at once, one succeeds. */
export async function useRecoveryCode(tx: Tx, { id, realm_id }: FactorHolder, code: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("recovery_codes")
    .where("realm_id", "=", realm_id)
    .where("user_id", "=", id)
    .where("code_hash", "=", hashKey(code))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function removeRecoveryCodes(tx: Tx, { id, realm_id }: FactorHolder): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("realm_id", "=", realm_id).where("user_id", "=", id).execute();
}
