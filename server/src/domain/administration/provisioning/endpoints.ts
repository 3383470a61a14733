import * as api from "@skein/api/provisioning.ts";
import { ApiError } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { difference } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";
import { refuseStale } from "../../people/users/access.ts";
import { readAttributeMap, storeAttributeMap } from "./attribute-map.ts";
import { accessProvisioning, createToken, listTokens, removeToken } from "./tokens.ts";

export const provisioningEndpoints: BoundEndpoint[] = [
  handle(api.getScimTokens, async ({ ctx, user }) => {
    accessProvisioning(user);
    return { tokens: await listTokens(ctx.db, user.realm_id) };
  }),

  handle(api.createScimToken, async ({ ctx, user, params, request }) => {
    accessProvisioning(user);
    return transaction(ctx.db, "create SCIM token", async (tx) => {
      await lockHead(tx, user.realm_id);
      await refuseStale(tx, user);
      const made = await createToken(tx, user.realm_id, params.name);
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "scim_token.create",
        target: { kind: "scim_token", id: made.id },
        after: { name: made.name },
      });
      return made;
    });
  }),

  handle(api.deleteScimToken, async ({ ctx, user, params: { token_id }, request }) => {
    accessProvisioning(user);
    await transaction(ctx.db, "revoke SCIM token", async (tx) => {
      await lockHead(tx, user.realm_id);
      await refuseStale(tx, user);
      const name = await removeToken(tx, user.realm_id, token_id);
      if (name === undefined) throw new ApiError("SCIM token does not exist.", { status: 404 });
      await record(tx, user.realm_id, byCaller(user, request), {
        action: "scim_token.delete",
        target: { kind: "scim_token", id: token_id },
        before: { name },
      });
    });
    return {};
  }),

  handle(api.getScimSettings, async ({ ctx, user }) => {
    accessProvisioning(user);
    return { attribute_map: Object.fromEntries(await readAttributeMap(ctx.db, user.realm_id)) };
  }),

  handle(api.updateScimSettings, async ({ ctx, user, params: { attribute_map }, request }) => {
    accessProvisioning(user);
    await transaction(ctx.db, "update SCIM settings", async (tx) => {
      await lockHead(tx, user.realm_id);
      await refuseStale(tx, user);
      const shown = async () => ({ attribute_map: Object.fromEntries(await readAttributeMap(tx, user.realm_id)) });
      const old = await shown();
      await storeAttributeMap(tx, user.realm_id, attribute_map);
      const { before, after } = difference(old, await shown());
      if (after === null) return;
      const target = { kind: "realm" as const, id: user.realm_id };
      await record(tx, user.realm_id, byCaller(user, request), { action: "scim.update", target, before, after });
    });
    return {};
  }),
];
