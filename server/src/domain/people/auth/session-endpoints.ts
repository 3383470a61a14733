import * as api from "@skein/api/sessions.ts";
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { accessAdministration, accessOwnership, accessUserById, accessUserForUpdate } from "../users/access.ts";
import { endBrowserSessionById, endBrowserSessions, listBrowserSessions } from "./browser-sessions.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, lockHead, record } from "../../organization/audit/record.ts";

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

const recordSession = (
  tx: Tx,
  { user, request }: Caller,
  id: number | null,
  user_id: number,
  all: number[] = [],
): Promise<void> =>
  record(tx, user.realm_id, byCaller(user, request), {
    action: "session.delete",
    target: { kind: "session", id },
    before: { user_id, ...(all.length > 1 ? { sessions: all } : {}) },
  });

export const sessionEndpoints: BoundEndpoint[] = [
  handle(api.getSessions, async ({ ctx, user }) => ({ sessions: await listSessions(ctx, user, user.id) })),

  handle(api.deleteSession, async ({ ctx, user, params: { session_id }, request }) => {
    await revoke(ctx, "end session", async (tx) => {
      await lockHead(tx, user.realm_id);
      if (!(await endBrowserSessionById(tx, user, session_id))) throw noSuchSession();
      await recordSession(tx, { user, request }, session_id, user.id);
    });
    return {};
  }),

  handle(api.deleteOtherSessions, async ({ ctx, user, request }) => {
    await revoke(ctx, "end other sessions", async (tx) => {
      await lockHead(tx, user.realm_id);
      const ended = await endBrowserSessions(tx, user, request.credentials);
      if (ended.length === 0) return;
      const [only = null] = ended.length === 1 ? ended : [];
      await recordSession(tx, { user, request }, only, user.id, ended);
    });
    return {};
  }),

  handle(api.getUserSessions, async ({ ctx, user, params: { user_id } }) => {
    accessAdministration(user);
    const account = await accessUserById(ctx.db, user, user_id);
    return { sessions: await listSessions(ctx, user, account.id) };
  }),

  handle(api.deleteUserSession, async ({ ctx, user, params: { user_id, session_id }, request }) => {
    accessAdministration(user);
    await revoke(ctx, "end a user's session", async (tx) => {
      await lockHead(tx, user.realm_id);
      const account = await accessUserForUpdate(tx, user, user_id);
      accessOwnership(user, account.role);
      if (!(await endBrowserSessionById(tx, account, session_id))) throw noSuchSession();
      await recordSession(tx, { user, request }, session_id, account.id);
    });
    return {};
  }),
];
