import * as api from "@skein/api/realm-settings.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { deactivateRealmAs } from "./deactivate.ts";
import { updateRealm } from "./update.ts";

export const realmEndpoints: BoundEndpoint[] = [
  handle(api.updateRealm, async ({ ctx, user, params }) => {
    await revoke(ctx, "update organization settings", (tx) => updateRealm(tx, user, params));
    return {};
  }),

  handle(api.deactivateRealm, async ({ ctx, user }) => {
    await revoke(ctx, "deactivate organization", (tx) => deactivateRealmAs(tx, user));
    return {};
  }),
];
