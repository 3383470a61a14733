/** Who asks for a page that is not for everybody: by Basic authentication, a key in the address, or a browser's cookie. */
import { botTypes } from "@skein/api/bots.ts";
import type { Context } from "../context.ts";
import { ApiError, unauthorized } from "../errors.ts";
import { browserCredentials } from "./browser-session.ts";
import type { PageRequest } from "./router.ts";
import { hashKey, openNothing, readCredentials, StaleSession, type Credentials, type User } from "./sessions.ts";

/** The account, with what the database says of it now. Throws when there is none. */
export async function pageAccount(ctx: Context, request: PageRequest): Promise<User> {
  const user = await findPageAccount(ctx, request);
  if (!user) throw unauthorized("Missing authorization header for basic auth");
  return user;
}

/** Undefined where the request does not say who asks. Throws for a key that opens nothing. */
export async function findPageAccount(ctx: Context, request: PageRequest): Promise<User | undefined> {
  const key = keyOf(request);
  return key ? findCurrent(ctx, request, key) : findSignedIn(ctx, request);
}

/** Whoever is signed in in this browser. A cookie that opens nothing any more says nothing of who asks. */
export async function findSignedIn(ctx: Context, request: PageRequest): Promise<User | undefined> {
  const cookie = browserCredentials(request.browser);
  try {
    return cookie && (await findCurrent(ctx, request, cookie));
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

async function findCurrent({ sessions }: Context, { host }: PageRequest, credentials: Credentials): Promise<User> {
  for (;;) {
    const user = await sessions.find(credentials);
    if (user.realm.host !== null && user.realm.host !== host) throw openNothing(credentials);
    // Their keys may be given away: they open nothing but the way in.
    if (user.bot_type === botTypes.incomingWebhook)
      throw unauthorized("This API is not available to incoming webhook bots.");
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
  return key === undefined ? undefined : { email: undefined, keyHash: hashKey(key) };
}
