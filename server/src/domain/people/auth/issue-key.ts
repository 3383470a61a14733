import type { Context } from "../../../context.ts";
import type { RequestInfo } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { refuseWithoutFactor } from "../second-factors/requirement.ts";
import { createDeviceKey } from "./api-keys.ts";
import { noteSignIn } from "./note-sign-in.ts";
import { clearAttempts, type AuthenticatedAccount } from "./password-login.ts";
import { rememberProviderSession } from "./provider-sessions.ts";
import { mailNewApp } from "./sign-in-mail.ts";

/** A new API key for an app that has signed in. */
export const issueKey = (
  ctx: Context,
  account: AuthenticatedAccount,
  request: Pick<RequestInfo, "clientName" | "ip" | "id" | "origin">,
): Promise<string> =>
  transaction(ctx.db, "fetch API key", async (tx) => {
    await refuseWithoutFactor(tx, account, request);
    await clearAttempts(tx, account);
    await mailNewApp(tx, ctx, account, { client: request.clientName, ip: request.ip });
    const { key, row } = await createDeviceKey(tx, account, request.clientName);
    await rememberProviderSession(tx, account, { api_key_id: row.id });
    const credential = { kind: "api_key", id: row.id } as const;
    await noteSignIn(tx, account, request, { method: account.method ?? "password", credential });
    return key;
  });
