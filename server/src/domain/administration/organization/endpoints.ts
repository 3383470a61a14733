import * as api from "@skein/api/realm-settings.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { testWelcomeText } from "../users/welcome.ts";
import { deactivateRealmAs } from "./deactivate.ts";
import { updateRealm } from "./update.ts";
import { audited } from "../../organization/audit/audited.ts";
import type { Fields } from "../../organization/audit/subjects.ts";
import { realmPermissions } from "../../organization/permissions/realm-permissions.ts";

const realmUpdate = (_: Fields, after: Fields) =>
  Object.keys(after).some((name) => name in realmPermissions) ? "realm.update_permission" : "realm.update";

export const realmEndpoints: BoundEndpoint[] = [
  handle(api.updateRealm, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "update organization settings", (tx) =>
      audited(tx, { user, request }, { kind: "realm", id: user.realm_id, action: realmUpdate }, () =>
        updateRealm(tx, user, params),
      ),
    );
    return {};
  }),

  handle(api.testWelcomeMessage, async ({ ctx, user, params }) => ({
    message_id: await transaction(ctx.db, "test welcome text", (tx) =>
      testWelcomeText(tx, ctx, user, params.welcome_message_custom_text),
    ),
  })),

  handle(api.deactivateRealm, async ({ ctx, user, request }) => {
    await revoke(ctx, "deactivate organization", (tx) =>
      audited(tx, { user, request }, { kind: "realm", id: user.realm_id, action: "realm.deactivate" }, () =>
        deactivateRealmAs(tx, user),
      ),
    );
    return {};
  }),
];
