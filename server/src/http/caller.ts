/** Finds the account that sends a request, from its credentials and the host it was sent to. */
import { botTypes } from "@skein/api/bots.ts";
import type { Surface } from "@skein/api/endpoint.ts";
import { sendMessage } from "@skein/api/messages.ts";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import { ApiError, notSignedIn, unauthorized } from "../errors.ts";
import type { User } from "../identity/account.ts";
import { hashSecret, invalidCredentials, type Credentials } from "../identity/sessions.ts";
import { browserCredentials, csrfField, csrfHeader, assertCsrfToken, formToken } from "./browser-session.ts";
import { credentialsOfRequest } from "./credentials.ts";
import type { Form } from "./form.ts";
import { textOf } from "./parameters.ts";
import { browserOf } from "./read-request.ts";
import { findAccount } from "./wrong-keys.ts";

export function credentialsOf(ctx: Context, surface: Surface, request: FastifyRequest): Credentials {
  if (surface === "keys") return credentialsOfRequest(request.raw);
  const credentials = browserCredentials(browserOf(ctx, request));
  if (!credentials) throw notSignedIn();
  return credentials;
}

/** The account these credentials belong to at this host; `network` is the origin of the request's `ip`, for rate limits. */
export async function findCaller(
  ctx: Context,
  credentials: Credentials,
  { host, network, ip }: { host: string; network: string; ip: string },
): Promise<User> {
  const user = await findAccount(ctx, credentials, network);
  // Credentials are valid for one organization. If it has a host name, the request must be sent there.
  if (user.realm.host !== null && user.realm.host !== host) throw invalidCredentials(credentials);
  const recorded = user.credential && ctx.sessions.keyUses.note(user.credential, ip);
  if (recorded) await recorded;
  return user;
}

const allowedForIncomingWebhooks: ReadonlySet<string> = new Set([sendMessage.operation]);

/** Incoming webhook bots may only send messages, so that their API keys can be given to other services. */
export function refuseIncomingWebhookBot(user: User, operation?: string): void {
  if (user.bot_type !== botTypes.incomingWebhook) return;
  if (operation === undefined || !allowedForIncomingWebhooks.has(operation))
    throw unauthorized("This API is not available to incoming webhook bots.");
}

/** Whether this node has cached the request's credentials as valid; such requests are limited per account. */
export function hasCachedCredentials(ctx: Context, request: FastifyRequest): boolean {
  const { sessions } = ctx;
  const { authorization } = request.headers;
  const [, key] = /[?&]api_key=(\w+)/.exec(request.url) ?? [];
  if (key !== undefined) return sessions.isCached({ email: undefined, keyHash: hashSecret(key) });
  const cookie = browserCredentials(browserOf(ctx, request));
  if (authorization === undefined) return cookie !== undefined && sessions.isCached(cookie);
  try {
    return sessions.isCached(credentialsOfRequest(request.raw));
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Requires a CSRF token for changes, because a browser sends its cookie with requests of other sites' pages as well. */
export function verifyCsrf(
  ctx: Context,
  request: FastifyRequest,
  reply: FastifyReply,
  { form, jsonNames }: { form: Form; jsonNames: ReadonlySet<string> },
): void {
  const browser = browserOf(ctx, request);
  for (const cookie of formToken(browser).cookies) reply.header("Set-Cookie", cookie);
  if (request.method === "GET" || request.method === "HEAD") return;
  const header = request.headers[csrfHeader];
  assertCsrfToken(browser, typeof header === "string" ? header : textOf(form, jsonNames, csrfField));
}
