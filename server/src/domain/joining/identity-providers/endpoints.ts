import * as api from "@skein/api/identity-providers.ts";
import { roles } from "@skein/api/users.ts";
import { handle, type BoundEndpoint, type RequestInfo } from "../../../http/handle.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { audited } from "../../organization/audit/audited.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { accessAdministration } from "../../people/users/access.ts";
import { Directory } from "../ldap/directory.ts";
import { previewSync } from "../ldap/sync/preview.ts";
import { listSyncResults, requestSync } from "../ldap/sync/schedule.ts";
import { findSamlProblem, samlAlgorithms } from "../saml/settings.ts";
import { accessProvider } from "./access.ts";
import { createProvider, deleteProvider, updateProvider } from "./actions.ts";
import { ProviderClients } from "./clients.ts";
import { ProviderProblem } from "./provider-problem.ts";
import { kindOf, listProviders } from "./queries.ts";
import { toProviderObject } from "./to-object.ts";

const siteOf = ({ config }: Context, user: User, request: RequestInfo): string =>
  realmUrl(config, user.realm, request.origin);

export const identityProviderEndpoints: BoundEndpoint[] = [
  handle(api.getIdentityProviders, async ({ ctx, user, request }) => {
    accessAdministration(user);
    const rows = await listProviders(ctx.db, user.realm_id);
    const syncs = await listSyncResults(ctx.db, rows);
    const site = siteOf(ctx, user, request);
    return {
      identity_providers: rows.map((row) => toProviderObject(row, user.realm, site, syncs.get(row.id))),
    };
  }),

  handle(api.createIdentityProvider, async ({ ctx, user, params, request }) => {
    const row = await transaction(ctx.db, "create identity provider", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "identity_provider", id: (made) => made.id, action: "identity_provider.create" },
        () => createProvider(tx, ctx, user, params),
      ),
    );
    return { identity_provider: toProviderObject(row, user.realm, siteOf(ctx, user, request)) };
  }),

  handle(api.updateIdentityProvider, async ({ ctx, user, params: { provider_id, ...change }, request }) => {
    // The log does not show the secret, but that it was set.
    const isAlways = change.client_secret !== undefined || change.ldap?.bind_password !== undefined;
    const { row, realm } = await transaction(ctx.db, "update identity provider", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "identity_provider", id: provider_id, action: "identity_provider.update", isAlways },
        () => updateProvider(tx, ctx, user, provider_id, change),
      ),
    );
    const syncs = await listSyncResults(ctx.db, [row]);
    return { identity_provider: toProviderObject(row, realm, siteOf(ctx, user, request), syncs.get(row.id)) };
  }),

  handle(api.deleteIdentityProvider, async ({ ctx, user, params: { provider_id }, request }) => {
    await transaction(ctx.db, "delete identity provider", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "identity_provider", id: provider_id, action: "identity_provider.delete" },
        () => deleteProvider(tx, user, provider_id),
      ),
    );
    return {};
  }),

  handle(api.testIdentityProvider, async ({ ctx, user, params: { provider_id } }) => {
    const row = await accessProvider(ctx.db, user, provider_id);
    const kind = kindOf(row);
    if (kind === "saml") return { problem: findSamlProblem(row) ?? null, algorithms: samlAlgorithms };
    try {
      if (kind === "ldap") {
        await Directory.use(ctx, row, (directory) => directory.test());
        return { problem: null, algorithms: [] };
      }
      return { problem: null, algorithms: await new ProviderClients(ctx).of(row).test() };
    } catch (error) {
      if (!(error instanceof ProviderProblem)) throw error;
      return { problem: error.message, algorithms: [] };
    }
  }),

  handle(api.syncIdentityProvider, async ({ ctx, user, params: { provider_id, dry_run } }) => {
    if (user.role !== roles.owner) throw new ApiError("Must be an organization owner");
    const row = await accessProvider(ctx.db, user, provider_id);
    if (kindOf(row) !== "ldap") throw new ApiError("Only LDAP providers can be synced.");
    if (dry_run) return { plan: await previewSync(ctx, user.realm, row) };
    await transaction(ctx.db, "request LDAP sync", (tx) => requestSync(tx, row));
    return { plan: null };
  }),
];
