import * as api from "@skein/api/realm-domains.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addDomain, removeDomain, updateDomain } from "./actions.ts";
import { listDomains } from "./queries.ts";

export const realmDomainEndpoints: BoundEndpoint[] = [
  handle(api.getRealmDomains, async ({ ctx, user }) => ({ domains: await listDomains(ctx.db, user.realm_id) })),

  handle(api.addRealmDomain, async ({ ctx, user, params }) => {
    const { id, domain } = await transaction(ctx.db, "add realm domain", (tx) => addDomain(tx, user, params));
    return { new_domain: [id, domain] as [number, string] };
  }),

  handle(api.updateRealmDomain, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update realm domain", (tx) => updateDomain(tx, user, params));
    return {};
  }),

  handle(api.removeRealmDomain, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove realm domain", (tx) => removeDomain(tx, user, params.domain));
    return {};
  }),
];
