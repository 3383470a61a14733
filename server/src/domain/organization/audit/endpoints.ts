import * as api from "@skein/api/audit-log.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import type { EventShape } from "../../../events/queue.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { listEntries } from "./queries.ts";

function accessAuditLog({ role }: User): void {
  if (role > roles.administrator) throw new ApiError("Must be an organization administrator");
}

const actions: ReadonlySet<string> = new Set(api.auditActions);
const targets: ReadonlySet<string> = new Set(api.auditTargets);

export const auditEndpoints: BoundEndpoint[] = [
  handle(api.getAuditLog, async ({ ctx, user, params: { limit, ...filter } }) => {
    accessAuditLog(user);
    const unknown = filter.action?.find((action) => !actions.has(action));
    if (unknown !== undefined) throw new ApiError(`Unknown action: ${unknown}`);
    if (filter.target_kind !== undefined && !targets.has(filter.target_kind))
      throw new ApiError(`Unknown target_kind: ${filter.target_kind}`);
    if (filter.target_id !== undefined && filter.target_kind === undefined)
      throw new ApiError("target_id needs target_kind");
    return listEntries(ctx.db, user.realm_id, filter, limit);
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
