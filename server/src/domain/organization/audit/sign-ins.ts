/** Records sign-ins, and attempts that failed. */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { byAnybody, record } from "./record.ts";

export interface SignInRequest {
  ip: string;
  id: string;
}

/** What a person has given besides the password. */
export type SecondFactor = "totp" | "passkey" | "recovery_code";

export async function recordSignIn(
  tx: Tx,
  account: { id: number; realm_id: number; secondFactor?: SecondFactor },
  { ip, id }: SignInRequest,
  { method, credential }: { method: string; credential: NonNullable<AuditEntry["credential"]> },
): Promise<void> {
  const source = { actor: { kind: "user" as const, id: account.id }, credential, ip, requestId: id };
  const target = { kind: "user" as const, id: account.id };
  const { secondFactor: second_factor } = account;
  const after = { method, ...(second_factor === undefined ? {} : { second_factor }) };
  await record(tx, account.realm_id, source, { action: "sign_in.success", target, after });
}

export async function recordFailedSignIn(
  db: Db,
  realm: { id: number },
  request: SignInRequest,
  { account, ...after }: { account: number | null; method: string; reason: FailureReason },
): Promise<void> {
  await transaction(db, "record failed sign-in", (tx) =>
    record(tx, realm.id, byAnybody(request), {
      action: "sign_in.failure",
      target: { kind: "user", id: account },
      after,
    }),
  );
}

/** Those about the second factor follow a correct password. */
export type FailureReason =
  | "wrong_password"
  | "unknown_account"
  | "deactivated"
  | "second_factor_missing"
  | "second_factor_not_set_up"
  | "wrong_second_factor"
  | "wrong_passkey";
