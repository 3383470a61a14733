import * as api from "@skein/api/exports.ts";
import type { Context } from "../../../context.ts";
import { handle, type BoundEndpoint, type RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { realmUrl } from "../../organization/realm/address.ts";
import { accessExports } from "./access.ts";
import { removeExport, requestExport, toExportType } from "./actions.ts";
import { listConsents, listExports } from "./queries.ts";
import { audited } from "../../organization/audit/audited.ts";

const siteOf = ({ config }: Context, { realm }: User, { origin }: RequestInfo): string =>
  realmUrl(config, realm, origin);

export const exportEndpoints: BoundEndpoint[] = [
  handle(api.getExports, async ({ ctx, user, request }) => {
    accessExports(user);
    return { exports: await listExports(ctx.db, user.realm_id, siteOf(ctx, user, request)) };
  }),

  handle(api.createExport, async ({ ctx, user, params, request }) => {
    const site = siteOf(ctx, user, request);
    const id = await transaction(ctx.db, "request export", (tx) =>
      audited(tx, { user, request }, { kind: "export", id: (made) => made, action: "export.create" }, () =>
        requestExport(tx, user, toExportType(params.export_type), site),
      ),
    );
    return { id };
  }),

  handle(api.removeExport, async ({ ctx, user, params, request }) => {
    const site = siteOf(ctx, user, request);
    await transaction(ctx.db, "remove export", (tx) =>
      audited(tx, { user, request }, { kind: "export", id: params.export_id, action: "export.delete" }, () =>
        removeExport(tx, user, params.export_id, site),
      ),
    );
    return {};
  }),

  handle(api.getExportConsents, async ({ ctx, user }) => {
    accessExports(user);
    return { export_consents: await listConsents(ctx.db, user.realm_id) };
  }),
];
