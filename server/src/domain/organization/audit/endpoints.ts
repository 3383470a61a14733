import * as api from "@skein/api/audit-log.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { EventShape } from "../../../events/queue.ts";
import { handle, LastingResponse, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { sendLines } from "./export.ts";
import { listEntries, newestId, type AuditFilter } from "./queries.ts";

function accessAuditLog({ role }: User): void {
  if (role > roles.administrator) throw new ApiError("Must be an organization administrator");
}

const actions: ReadonlySet<string> = new Set(api.auditActions);
const targets: ReadonlySet<string> = new Set(api.auditTargets);

function checkFilter({ action, target_kind, target_id }: AuditFilter): void {
  const unknown = action?.find((each) => !actions.has(each));
  if (unknown !== undefined) throw new ApiError(`Unknown action: ${unknown}`);
  if (target_kind !== undefined && !targets.has(target_kind)) throw new ApiError(`Unknown target_kind: ${target_kind}`);
  if (target_id !== undefined && target_kind === undefined) throw new ApiError("target_id needs target_kind");
}

export const auditEndpoints: BoundEndpoint[] = [
  handle(api.getAuditLog, async ({ ctx, user, params: { limit, ...filter } }) => {
    accessAuditLog(user);
    checkFilter(filter);
    return listEntries(ctx.db, user.realm_id, filter, limit);
  }),

  handle(api.exportAuditLog, async ({ ctx, user, params, request }) => {
    accessAuditLog(user);
    checkFilter(params);
    const last = await newestId(ctx.db, user.realm_id);
    const mayGoOn = async (): Promise<void> => {
      // From the database: that another node revoked the key may not have reached this one yet.
      ctx.sessions.forget(user.id);
      accessAuditLog(await request.authenticate());
    };
    return new LastingResponse((response, headers) =>
      sendLines(ctx, response, headers, { realm: user.realm, filter: params, last, mayGoOn }),
    );
  }),

  handle(api.getAuditActions, async ({ user }) => {
    accessAuditLog(user);
    return { actions: [...api.auditActions] };
  }),
];

/** Only for queues that name the type: other clients of administrators have no use for it. */
const auditShape: EventShape = {
  variant: (_, queue) => String(queue.types !== undefined),
  shape: (event, queue) => (queue.types === undefined ? undefined : event),
};

export const auditEventShapes: [string, EventShape][] = [["audit_log", auditShape]];
