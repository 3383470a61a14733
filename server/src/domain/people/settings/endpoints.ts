import type { ParamsOf, ReturnsOf } from "@skein/api/endpoint.ts";
import * as api from "@skein/api/settings.ts";
import type { Context } from "../../../context.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint, type UserRequest } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction, type Tx } from "../../../platform/db/transaction.ts";
import { changePassword, preparePasswordChange } from "../auth/change-password.ts";
import { realmHost, realmUrl } from "../../organization/realm/address.ts";
import { changeEmailVisibility } from "../users/addresses.ts";
import { changeFullName } from "../users/rename.ts";
import { accessOwnName, accessOwnSettings, lockOwnAccount } from "./access.ts";
import { updateDefaultSettings } from "./defaults.ts";
import { startEmailChange } from "./email-change.ts";
import { updateSettingsOfOthers } from "./settings-of-others.ts";
import { updateTimeZone } from "./time-zone.ts";
import { emitSetting, updateSettings } from "./update.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

type Changed = ReturnsOf<typeof api.updateSettings>;

interface Call {
  ctx: Context;
  user: User;
  params: ParamsOf<typeof api.updateSettings>;
  request: UserRequest;
}

async function changeAny({ params: { target_users, ...params }, ...call }: Call): Promise<Changed> {
  accessOwnSettings(call.user);
  return target_users ? changeOthers({ params, ...call }, target_users) : changeOwn({ params, ...call });
}

async function changeOthers({ ctx, user, params, request }: Call, target: api.TargetUsers): Promise<Changed> {
  const host = realmHost(ctx.config, user.realm);
  await transaction(ctx.db, "update settings of others", async (tx) => {
    await lockHead(tx, user.realm_id);
    const settings = await updateSettingsOfOthers(tx, user, host, params, target);
    await record(tx, user.realm_id, byCaller(user, request), {
      action: "user.update",
      target: { kind: "user", id: null },
      after: { settings, ...target },
    });
  });
  return {};
}

async function changeOwn({ ctx, user, params, request }: Call): Promise<Changed> {
  const { full_name, email, old_password = "", new_password, ...rest } = params;
  const { timezone, email_address_visibility: visibility, ...settings } = rest;
  const password =
    new_password === undefined
      ? undefined
      : await preparePasswordChange(ctx, user, { old: old_password, new: new_password }, request.credentials);
  const host = realmHost(ctx.config, user.realm);

  const write = async (tx: Tx) => {
    const own = await lockOwnAccount(tx, user);
    if (password) await changePassword(tx, own, password);
    if (full_name !== undefined && full_name !== own.full_name) {
      accessOwnName(own);
      await changeFullName(tx, own.realm, own, full_name);
    }
    if (email !== undefined)
      await startEmailChange(tx, ctx, own, email, realmUrl(ctx.config, user.realm, request.origin));
    await updateSettings(tx, own, host, settings);
    if (timezone !== undefined) await updateTimeZone(tx, own, host, timezone);
    if (visibility !== undefined && visibility !== own.email_address_visibility) {
      await changeEmailVisibility(tx, own, visibility);
      emitSetting(tx, own, host, "email_address_visibility", visibility);
    }
  };
  // Revokes, because other users may lose sight of the address and other browsers are signed out.
  if (visibility === undefined && !password) await transaction(ctx.db, "update settings", write);
  else await revoke(ctx, "update settings", write);
  return {};
}

export const settingEndpoints: BoundEndpoint[] = [
  handle(api.updateSettings, changeAny),
  handle(api.updateDisplaySettings, changeAny),
  handle(api.updateNotificationSettings, changeAny),

  handle(api.updateDefaultSettings, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "update default settings", async (tx) => {
      await lockHead(tx, user.realm_id);
      const change = await updateDefaultSettings(tx, user, params);
      if (!change) return;
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "realm_user_settings_defaults.update",
        target: { kind: "realm", id: user.realm_id },
        ...change,
      });
    });
    return {};
  }),
];
