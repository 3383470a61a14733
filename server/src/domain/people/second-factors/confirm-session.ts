/** Confirms that the account's holder is at the browser, for what identity/step-up.ts asks it. */
import * as api from "@skein/api/sessions.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { confirmStepUp } from "../../../identity/step-up.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { clearLoginAttempts, fromAccount } from "../auth/login-limit.ts";
import { acceptsPasswords } from "../auth/sign-in-methods.ts";
import { requireOwnPassword, withProof } from "./endpoints.ts";
import { factorsOf, isProtected } from "./use-code.ts";

export const confirmEndpoints: BoundEndpoint[] = [
  handle(api.confirmSession, async ({ ctx, user, params: { password = "", code, passkey }, request }) => {
    const { credential } = user;
    if (credential?.kind !== "session") throw new ApiError("Only sessions of browsers can be confirmed.");
    const caller = { user, request };
    const confirm = async (tx: Tx) => ({ confirmed_until: toTimestamp(await confirmStepUp(tx, credential.id)) });
    if (isProtected(await factorsOf(ctx.db, user)))
      return withProof(ctx, caller, "confirm session", { code, passkey }, confirm);
    if (!acceptsPasswords(user.realm)) throw new ApiError("Sign in again to confirm that it is you.");
    await requireOwnPassword(ctx, caller, password);
    return transaction(ctx.db, "confirm session", async (tx) => {
      await clearLoginAttempts(tx, user.realm_id, user.delivery_email, fromAccount);
      return confirm(tx);
    });
  }),
];
