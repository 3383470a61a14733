/** Authenticates page requests: by Basic authentication, an API key in the URL, or a browser's cookie. */
import type { Scope } from "@skein/api/scopes.ts";
import type { Context } from "../context.ts";
import { ApiError, unauthorized } from "../errors.ts";
import { browserCredentials } from "./browser-session.ts";
import { findCaller, refuseIncomingWebhookBot } from "./caller.ts";
import { countPageOfUser } from "./page-limits.ts";
import type { PageRequest } from "./page.ts";
import { hashSecret, StaleSession, type Credentials } from "../identity/sessions.ts";
import { readCredentials } from "./credentials.ts";
import type { User } from "../identity/account.ts";
import { requireScope } from "../identity/scopes.ts";

/** The account, checked against the database. Throws if there is none, or if its key lacks the scope. */
export async function pageAccount(ctx: Context, request: PageRequest, scope: Scope): Promise<User> {
  const user = await findPageAccount(ctx, request, scope);
  if (!user) throw unauthorized("Missing authorization header for basic auth");
  return user;
}

/** Undefined for a request without credentials. Throws for an API key that is invalid, or lacks the scope. */
export async function findPageAccount(ctx: Context, request: PageRequest, scope: Scope): Promise<User | undefined> {
  const key = keyOf(request);
  const user = key ? await findCurrent(ctx, request, key) : await findSignedIn(ctx, request);
  if (!user) return undefined;
  countPageOfUser(ctx, user);
  requireScope(user, scope);
  return user;
}

/** The account signed in in this browser. An expired cookie counts as none. */
export async function findSignedIn(ctx: Context, request: PageRequest): Promise<User | undefined> {
  const cookie = browserCredentials(request.browser);
  try {
    return cookie && (await findCurrent(ctx, request, cookie));
  } catch (error) {
    if (error instanceof ApiError && error.status !== 429) return undefined;
    throw error;
  }
}

async function findCurrent(ctx: Context, { host, ip, address }: PageRequest, credentials: Credentials): Promise<User> {
  const { sessions } = ctx;
  for (;;) {
    const user = await findCaller(ctx, credentials, { host, network: ip, ip: address });
    refuseIncomingWebhookBot(user);
    try {
      await sessions.verify(user);
      return user;
    } catch (error) {
      if (!(error instanceof StaleSession)) throw error;
      sessions.forget(user.id);
    }
  }
}

function keyOf({ authorization, form }: PageRequest): Credentials | undefined {
  if (authorization !== undefined) return readCredentials(authorization);
  const key = form.get("api_key");
  return key === undefined ? undefined : { email: undefined, keyHash: hashSecret(key) };
}
