import * as api from "@skein/api/realm-domains.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addDomain, removeDomain, updateDomain } from "./actions.ts";
import { audited } from "../audit/audited.ts";
import { domainId, listDomains } from "./queries.ts";

export const realmDomainEndpoints: BoundEndpoint[] = [
  handle(api.getRealmDomains, async ({ ctx, user }) => ({ domains: await listDomains(ctx.db, user.realm_id) })),

  handle(api.addRealmDomain, async ({ ctx, user, params, request }) => {
    const { id, domain } = await transaction(ctx.db, "add realm domain", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "realm_domain", id: (made) => made.id, action: "realm_domain.create" },
        () => addDomain(tx, user, params),
      ),
    );
    return { new_domain: [id, domain] as [number, string] };
  }),

  handle(api.updateRealmDomain, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "update realm domain", async (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "realm_domain", id: await domainId(tx, user, params.domain), action: "realm_domain.update" },
        () => updateDomain(tx, user, params),
      ),
    );
    return {};
  }),

  handle(api.removeRealmDomain, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove realm domain", async (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "realm_domain", id: await domainId(tx, user, params.domain), action: "realm_domain.delete" },
        () => removeDomain(tx, user, params.domain),
      ),
    );
    return {};
  }),
];
