/** Records sign-ins, and attempts that failed. */
import type { AuditEntry } from "@skein/api/audit-log.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { byAnybody, record } from "./record.ts";

export interface SignInRequest {
  ip: string;
  id: string;
}

export async function recordSignIn(
  tx: Tx,
  account: { id: number; realm_id: number },
  { ip, id }: SignInRequest,
  { method, credential }: { method: string; credential: NonNullable<AuditEntry["credential"]> },
): Promise<void> {
  const source = { actor: { kind: "user" as const, id: account.id }, credential, ip, requestId: id };
  const target = { kind: "user" as const, id: account.id };
  await record(tx, account.realm_id, source, { action: "sign_in.success", target, after: { method } });
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

export type FailureReason = "wrong_password" | "unknown_account" | "deactivated";
