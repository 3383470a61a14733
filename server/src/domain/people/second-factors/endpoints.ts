import type { AuditAction } from "@skein/api/audit-log.ts";
import * as api from "@skein/api/second-factors.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint, type RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";
import { clearLoginAttempts, countLoginAttempt, ownFactor } from "../auth/login-limit.ts";
import { requirePassword } from "../auth/own-password.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { confirmTotp, getFactors, removeFactors, removeTotp, startTotp } from "./actions.ts";
import type { FactorHolder } from "./holder.ts";
import { listPasskeys, type Passkey } from "./passkeys.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { endUnprotectedSessions, refuseRemovalOfLast } from "./requirement.ts";
import { totpUrl } from "./totp.ts";
import {
  factorsOf,
  isEmpty,
  isProtected,
  prepareProof,
  secondFactorRequired,
  wrongCode,
  wrongProof,
  type Proof,
} from "./use-code.ts";

export interface FactorCaller {
  user: User;
  request: RequestInfo;
}

export const recordFactor = (
  tx: Tx,
  { user, request }: FactorCaller,
  action: AuditAction,
  id: number,
  fields: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), { action, target: { kind: "user", id }, ...fields });

type Failure = "wrong_password" | "wrong_second_factor" | "second_factor_missing";

const recordFailure = (ctx: Context, caller: FactorCaller, reason: Failure): Promise<void> =>
  transaction(ctx.db, "record failed second factor", (tx) =>
    recordFactor(tx, caller, "second_factor.failure", caller.user.id, { after: { reason } }),
  );

/** Runs `change` if it accepts what the request gives as proof: it returns undefined if that is wrong, which is recorded. */
async function withLimit<T extends object>(
  ctx: Context,
  caller: FactorCaller,
  name: string,
  refusal: () => ApiError,
  change: (tx: Tx) => Promise<T | undefined>,
): Promise<T> {
  const { realm_id, delivery_email } = caller.user;
  if (ctx.config.rateLimits) await countLoginAttempt(ctx.db, realm_id, delivery_email, ownFactor);
  const done = await transaction(ctx.db, name, async (tx) => {
    await lockHead(tx, realm_id);
    const changed = await change(tx);
    if (changed) await clearLoginAttempts(tx, realm_id, delivery_email, ownFactor);
    return changed;
  });
  if (done) return done;
  await recordFailure(ctx, caller, "wrong_second_factor");
  throw refusal();
}

/** Runs `change` for a signed-in account that gives a code or a passkey. */
export async function withProof<T extends object>(
  ctx: Context,
  caller: FactorCaller,
  name: string,
  proof: Proof,
  change: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { user, request } = caller;
  if (isEmpty(proof)) throw secondFactorRequired(400, await factorsOf(ctx.db, user));
  const use = await prepareProof(ctx, user.realm, user, proof, request);
  return withLimit(
    ctx,
    caller,
    name,
    () => wrongProof(400, proof),
    async (tx) => ((await use(tx)) === undefined ? undefined : change(tx)),
  );
}

/** Throws unless it is the account's password; a wrong one is recorded. */
export async function requireOwnPassword(ctx: Context, caller: FactorCaller, password: string): Promise<void> {
  try {
    await requirePassword(ctx, caller.user, password, "Wrong password!");
  } catch (error) {
    if (error instanceof ApiError && error.code !== "RATE_LIMIT_HIT")
      await recordFailure(ctx, caller, "wrong_password");
    throw error;
  }
}

/** Throws unless it is the account's password, and its second factor, if it has one. What is wrong is recorded. */
export async function reauthenticate(
  ctx: Context,
  caller: FactorCaller,
  password: string,
  proof: Proof,
): Promise<void> {
  await requireOwnPassword(ctx, caller, password);
  if (isProtected(await factorsOf(ctx.db, caller.user)))
    await withProof(ctx, caller, "confirm with second factor", proof, async () => ({}));
}

export function refuseBots({ is_bot }: User): void {
  if (is_bot) throw notForBots();
}

export const toPasskey = ({ id, name, is_backed_up, created_at, last_used_at }: Passkey) => ({
  id,
  name,
  is_backed_up,
  created_at: toTimestamp(created_at),
  last_used_at: last_used_at && toTimestamp(last_used_at),
});

async function describeFactors(ctx: Context, holder: FactorHolder) {
  const { confirmed_at, last_used_at, recovery_codes_left } = await getFactors(ctx.db, holder);
  return {
    totp: confirmed_at && {
      confirmed_at: toTimestamp(confirmed_at),
      last_used_at: last_used_at && toTimestamp(last_used_at),
    },
    passkeys: (await listPasskeys(ctx.db, holder)).map(toPasskey),
    recovery_codes_left,
  };
}

export const secondFactorEndpoints: BoundEndpoint[] = [
  handle(api.getSecondFactors, ({ ctx, user }) => describeFactors(ctx, user)),

  handle(api.getUserSecondFactors, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const { id } = await accessUserById(ctx.db, user, user_id);
    return describeFactors(ctx, { id, realm_id: user.realm_id });
  }),

  handle(api.startTotp, async ({ ctx, user, params: { password, second_factor_code: code, passkey }, request }) => {
    refuseBots(user);
    await reauthenticate(ctx, { user, request }, password, { code, passkey });
    const secret = await transaction(ctx.db, "start TOTP", (tx) => startTotp(tx, ctx.secretBox, user));
    return { secret, otpauth_url: totpUrl(secret, { issuer: user.realm.name, label: user.delivery_email }) };
  }),

  handle(api.confirmTotp, async ({ ctx, user, params: { code }, request }) => {
    refuseBots(user);
    return withLimit(
      ctx,
      { user, request },
      "confirm TOTP",
      () => wrongCode(400),
      async (tx) => {
        const recovery_codes = await confirmTotp(tx, ctx.secretBox, user, code);
        if (!recovery_codes) return undefined;
        await recordFactor(tx, { user, request }, "second_factor.enable", user.id, { after: { method: "totp" } });
        return { recovery_codes };
      },
    );
  }),

  handle(api.removeTotp, async ({ ctx, user, params, request }) => {
    refuseBots(user);
    return withProof(ctx, { user, request }, "remove TOTP", params, async (tx) => {
      if (!(await removeTotp(tx, user))) return {};
      await refuseRemovalOfLast(tx, user);
      await recordFactor(tx, { user, request }, "second_factor.disable", user.id, { before: { method: "totp" } });
      return {};
    });
  }),

  handle(api.regenerateRecoveryCodes, async ({ ctx, user, params, request }) => {
    refuseBots(user);
    return withProof(ctx, { user, request }, "regenerate recovery codes", params, async (tx) => {
      const recovery_codes = await replaceRecoveryCodes(tx, user);
      await recordFactor(tx, { user, request }, "second_factor.regenerate_recovery_codes", user.id);
      return { recovery_codes };
    });
  }),

  handle(api.resetSecondFactors, async ({ ctx, user, params: { user_id }, request }) => {
    accessAdministration(user);
    // An administrator's key or session alone must not be enough to turn their own second factor off.
    if (user_id === user.id) throw new ApiError("Remove your own second factors with one of them.");
    await revoke(ctx, "reset second factors", async (tx) => {
      await lockHead(tx, user.realm_id);
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      const methods = await removeFactors(tx, account);
      if (methods.length === 0) return;
      await recordFactor(tx, { user, request }, "second_factor.reset", account.id, { before: { methods } });
      await endUnprotectedSessions(tx, user.realm_id, account.id);
    });
    return {};
  }),
];
