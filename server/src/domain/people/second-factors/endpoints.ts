import type { AuditAction } from "@skein/api/audit-log.ts";
import * as api from "@skein/api/second-factors.ts";
import type { Context } from "../../../context.ts";
import { ApiError, notForBots } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";
import { clearLoginAttempts, countLoginAttempt, ownFactor } from "../auth/login-limit.ts";
import { requirePassword } from "../auth/own-password.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { confirmTotp, getFactors, removeFactors, startTotp } from "./actions.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { totpUrl } from "./totp.ts";
import { useCode, wrongCode } from "./use-code.ts";

const recordFactor = (
  tx: Tx,
  { user, request }: Caller,
  action: AuditAction,
  id: number,
  fields: { before?: Record<string, unknown>; after?: Record<string, unknown> } = {},
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), { action, target: { kind: "user", id }, ...fields });

const recordFailure = (ctx: Context, caller: Caller, reason: "wrong_password" | "wrong_second_factor"): Promise<void> =>
  transaction(ctx.db, "record failed second factor", (tx) =>
    recordFactor(tx, caller, "second_factor.failure", caller.user.id, { after: { reason } }),
  );

/** Runs `change` if it accepts the request's code: it returns undefined if the code is wrong, which is recorded. */
async function withCode<T extends object>(
  ctx: Context,
  caller: Caller,
  name: string,
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
  throw wrongCode(400);
}

/** Throws unless it is the account's password; a wrong one is recorded. */
async function checkOwnPassword(ctx: Context, caller: Caller, password: string): Promise<void> {
  try {
    await requirePassword(ctx, caller.user, password, "Wrong password!");
  } catch (error) {
    if (error instanceof ApiError && error.code !== "RATE_LIMIT_HIT")
      await recordFailure(ctx, caller, "wrong_password");
    throw error;
  }
}

function refuseBots({ is_bot }: User): void {
  if (is_bot) throw notForBots();
}

const toFactors = ({ confirmed_at, last_used_at, recovery_codes_left }: Awaited<ReturnType<typeof getFactors>>) => ({
  totp: confirmed_at && {
    confirmed_at: toTimestamp(confirmed_at),
    last_used_at: last_used_at && toTimestamp(last_used_at),
  },
  recovery_codes_left,
});

export const secondFactorEndpoints: BoundEndpoint[] = [
  handle(api.getSecondFactors, async ({ ctx, user }) => {
    return toFactors(await getFactors(ctx.db, user));
  }),

  handle(api.getUserSecondFactors, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const { id } = await accessUserById(ctx.db, user, user_id);
    return toFactors(await getFactors(ctx.db, { id, realm_id: user.realm_id }));
  }),

  handle(api.startTotp, async ({ ctx, user, params: { password }, request }) => {
    refuseBots(user);
    await checkOwnPassword(ctx, { user, request }, password);
    const secret = await transaction(ctx.db, "start TOTP", (tx) => startTotp(tx, ctx.secretBox, user));
    return { secret, otpauth_url: totpUrl(secret, { issuer: user.realm.name, label: user.delivery_email }) };
  }),

  handle(api.confirmTotp, async ({ ctx, user, params: { code }, request }) => {
    refuseBots(user);
    return withCode(ctx, { user, request }, "confirm TOTP", async (tx) => {
      const recovery_codes = await confirmTotp(tx, ctx.secretBox, user, code);
      if (!recovery_codes) return undefined;
      await recordFactor(tx, { user, request }, "second_factor.enable", user.id, { after: { method: "totp" } });
      return { recovery_codes };
    });
  }),

  handle(api.removeTotp, async ({ ctx, user, params: { code }, request }) => {
    refuseBots(user);
    return withCode(ctx, { user, request }, "remove TOTP", async (tx) => {
      if ((await useCode(tx, ctx.secretBox, user, code)) === undefined) return undefined;
      await removeFactors(tx, user);
      await recordFactor(tx, { user, request }, "second_factor.disable", user.id, { before: { method: "totp" } });
      return {};
    });
  }),

  handle(api.regenerateRecoveryCodes, async ({ ctx, user, params: { code }, request }) => {
    refuseBots(user);
    return withCode(ctx, { user, request }, "regenerate recovery codes", async (tx) => {
      if ((await useCode(tx, ctx.secretBox, user, code)) === undefined) return undefined;
      const recovery_codes = await replaceRecoveryCodes(tx, user);
      await recordFactor(tx, { user, request }, "second_factor.regenerate_recovery_codes", user.id);
      return { recovery_codes };
    });
  }),

  handle(api.resetSecondFactors, async ({ ctx, user, params: { user_id }, request }) => {
    accessAdministration(user);
    // An administrator's key or session alone must not be enough to turn their own second factor off.
    if (user_id === user.id) throw new ApiError("Remove your own authenticator app with one of its codes.");
    await transaction(ctx.db, "reset second factors", async (tx) => {
      await lockHead(tx, user.realm_id);
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      if (!(await removeFactors(tx, account))) return;
      await recordFactor(tx, { user, request }, "second_factor.reset", account.id, { before: { method: "totp" } });
    });
    return {};
  }),
];
