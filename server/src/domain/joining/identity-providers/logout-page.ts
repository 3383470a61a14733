/**
 * Back-channel logout: the provider tells us that somebody has signed out there, and whatever that session at the provider
 * has made here ends, on all nodes. No browser is involved; the token is the proof.
 */
import type { Context } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import type { Page, PageRequest, PageResponse } from "../../../http/page.ts";
import { RateLimiter } from "../../../http/rate-limit.ts";
import { lockHead, record } from "../../organization/audit/record.ts";
import { findRealm } from "../../organization/realm/find-realm.ts";
import { endProviderSessions } from "../../people/auth/provider-sessions.ts";
import { logoutSeconds } from "../openid-connect/provider.ts";
import { revokeLoginTokens } from "../sign-in/login-token.ts";
import { errorAnswer, jsonAnswer } from "../sign-in/realm-page.ts";
import type { ProviderClients } from "./clients.ts";
import { ProviderProblem } from "./provider-problem.ts";
import { findProvider, logoutPath } from "./queries.ts";
import { useOnce } from "./use-once.ts";

const limit = { calls: 300, seconds: 60 };
const maxToken = 20_000;

export function logoutPages(ctx: Context, clients: ProviderClients): Page[] {
  const limiter = new RateLimiter(limit);
  return ["", "/"].map((end) => ({
    path: logoutPath(":provider") + end,
    method: "POST",
    serve: async (request) => {
      try {
        if (ctx.config.rateLimits) limiter.count(request.ip);
        return await logOut(ctx, clients, request);
      } catch (error) {
        if (error instanceof ApiError) return errorAnswer(request, error);
        if (!(error instanceof ProviderProblem)) throw error;
        ctx.logger.warn({ err: error }, "a back-channel logout was refused");
        return refused("The logout token is invalid.");
      }
    },
  }));
}

const refused = (text: string): PageResponse =>
  jsonAnswer({ error: "invalid_request", error_description: text }, { status: 400 });

async function logOut(ctx: Context, clients: ProviderClients, request: PageRequest): Promise<PageResponse> {
  const realm = await findRealm(ctx.db, request.host);
  const provider = await findProvider(ctx.db, realm.id, "oidc", request.params["provider"] ?? "");
  if (!provider) throw new ApiError("There is no such identity provider.", { status: 404 });
  const token = request.form.get("logout_token") ?? "";
  if (token === "" || token.length > maxToken) return refused("logout_token is missing or too long.");
  const { iss, jti, sub, sid } = await clients.of(provider).readLogout(token);
  // A copy of an earlier token ends nothing that began since.
  const isNew = await useOnce(ctx.db, realm.id, `logout ${provider.id} ${iss} ${jti}`, 2 * logoutSeconds);
  if (!isNew) return refused("The logout token was used before.");
  await revoke(ctx, "back-channel logout", async (tx) => {
    await lockHead(tx, realm.id);
    const ended = await endProviderSessions(tx, provider, { sub, sid });
    await revokeLoginTokens(tx, realm, {
      provider_id: provider.id,
      ...(sub === undefined ? {} : { subject: sub }),
      ...(sid === undefined ? {} : { sid }),
    });
    const source = {
      actor: { kind: "system" as const, id: null },
      credential: null,
      ip: request.address,
      requestId: request.id,
    };
    for (const { kind, id, user_id } of ended)
      await record(tx, realm.id, source, {
        action: `${kind}.delete`,
        target: { kind, id },
        before: { user_id, identity_provider: provider.key },
      });
  });
  return jsonAnswer({});
}
