import * as api from "@skein/api/passkeys.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { lockHead } from "../../organization/audit/record.ts";
import { lockAccount } from "../users/access.ts";
import { dropUnneededCodes } from "./actions.ts";
import { reauthenticate, recordFactor, refuseBots, toPasskey, withProof } from "./endpoints.ts";
import { listPasskeys, registrationOptions, signingOptions, storePasskey, verifyNewPasskey } from "./passkeys.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { refuseRemovalOfLast } from "./requirement.ts";
import { relyingParty } from "./relying-party.ts";
import { factorsOf, isProtected } from "./use-code.ts";

const noSuchPasskey = () => new ApiError("No such passkey", { status: 404 });

function readName(given: string): string {
  const name = given.trim();
  if (name === "") throw new ApiError("A passkey needs a name.");
  return name;
}

export const passkeyEndpoints: BoundEndpoint[] = [
  handle(api.getPasskeyChallenge, async ({ ctx, user, request: { origin } }) => {
    refuseBots(user);
    const passkeys = await listPasskeys(ctx.db, user);
    if (passkeys.length === 0) throw new ApiError("This account has no passkey.");
    const rp = relyingParty(ctx.config, user.realm, origin);
    return signingOptions(ctx.secretBox, rp, { confirm: user.id }, passkeys);
  }),

  handle(api.startPasskey, async ({ ctx, user, params: { password, second_factor_code: code, passkey }, request }) => {
    refuseBots(user);
    await reauthenticate(ctx, { user, request }, password, { code, passkey });
    return registrationOptions(ctx.db, ctx.secretBox, relyingParty(ctx.config, user.realm, request.origin), user);
  }),

  handle(api.addPasskey, async ({ ctx, user, params: { name: given, state, credential }, request }) => {
    refuseBots(user);
    const name = readName(given);
    const rp = relyingParty(ctx.config, user.realm, request.origin);
    const verified = await verifyNewPasskey(ctx.secretBox, rp, user, { state, credential });
    return transaction(ctx.db, "add passkey", async (tx) => {
      await lockHead(tx, user.realm_id);
      await lockAccount(tx, user.realm, user.id);
      const isFirst = !isProtected(await factorsOf(tx, user));
      const passkey = await storePasskey(tx, user, verified, name);
      const after = { method: "passkey", name };
      await recordFactor(tx, { user, request }, "second_factor.enable", user.id, { after });
      return { passkey: toPasskey(passkey), recovery_codes: isFirst ? await replaceRecoveryCodes(tx, user) : null };
    });
  }),

  handle(api.updatePasskey, async ({ ctx, user, params: { passkey_id, name } }) => {
    refuseBots(user);
    const { numUpdatedRows } = await ctx.db
      .updateTable("passkeys")
      .set({ name: readName(name) })
      .where("realm_id", "=", user.realm_id)
      .where("user_id", "=", user.id)
      .where("id", "=", passkey_id)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw noSuchPasskey();
    return {};
  }),

  handle(api.removePasskey, async ({ ctx, user, params: { passkey_id, code, passkey }, request }) => {
    refuseBots(user);
    if (!(await listPasskeys(ctx.db, user)).some(({ id }) => id === passkey_id)) throw noSuchPasskey();
    return withProof(ctx, { user, request }, "remove passkey", { code, passkey }, async (tx) => {
      const removed = await tx
        .deleteFrom("passkeys")
        .where("realm_id", "=", user.realm_id)
        .where("user_id", "=", user.id)
        .where("id", "=", passkey_id)
        .returning("name")
        .executeTakeFirst();
      if (!removed) throw noSuchPasskey();
      await refuseRemovalOfLast(tx, user);
      await dropUnneededCodes(tx, user);
      const before = { method: "passkey", name: removed.name };
      await recordFactor(tx, { user, request }, "second_factor.disable", user.id, { before });
      return {};
    });
  }),
];
