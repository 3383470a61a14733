import * as api from "@skein/api/sessions.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { endBrowserSessionById, endBrowserSessions, listBrowserSessions } from "./browser-sessions.ts";

const noSuchSession = () => new ApiError("Session does not exist.", { status: 404 });

async function listSessions({ db }: Context, { realm_id, credential }: User, id: number) {
  const rows = await listBrowserSessions(db, { id, realm_id });
  return rows.map((row) => ({
    id: row.id,
    created_at: toTimestamp(row.created_at),
    last_used_at: toTimestamp(row.last_used_at),
    expires_at: toTimestamp(row.expires_at),
    ip: row.ip,
    user_agent: row.user_agent,
    is_current: credential?.kind === "session" && credential.id === row.id,
  }));
}

export const sessionEndpoints: BoundEndpoint[] = [
  handle(api.getSessions, async ({ ctx, user }) => ({ sessions: await listSessions(ctx, user, user.id) })),

  handle(api.deleteSession, async ({ ctx, user, params: { session_id } }) => {
    const isThere = await revoke(ctx, "end session", (tx) => endBrowserSessionById(tx, user, session_id));
    if (!isThere) throw noSuchSession();
    return {};
  }),

  handle(api.deleteOtherSessions, async ({ ctx, user, request }) => {
    await revoke(ctx, "end other sessions", (tx) => endBrowserSessions(tx, user, request.credentials));
    return {};
  }),

  handle(api.getUserSessions, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const account = await accessUserById(ctx.db, user, user_id);
    return { sessions: await listSessions(ctx, user, account.id) };
  }),

  handle(api.deleteUserSession, async ({ ctx, user, params: { user_id, session_id } }) => {
    accessAdministration(user);
    await revoke(ctx, "end a user's session", async (tx) => {
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      if (!(await endBrowserSessionById(tx, account, session_id))) throw noSuchSession();
    });
    return {};
  }),
];
