/** Who asks for a page that is not for everybody: by Basic authentication, or by a key in the address. */
import { botTypes } from "@skein/api/bots.ts";
import type { Context } from "../context.ts";
import { unauthorized } from "../errors.ts";
import type { PageRequest } from "./router.ts";
import { hashKey, readCredentials, StaleSession, type Credentials, type User } from "./sessions.ts";

/** Whether the request says at all who asks. */
export const namesAccount = ({ authorization, form }: PageRequest): boolean =>
  authorization !== undefined || form.has("api_key");

/** The account, with what the database says of it now. Throws when there is none. */
export async function pageAccount(ctx: Context, request: PageRequest): Promise<User> {
  const credentials = credentialsOf(request);
  for (;;) {
    const user = await ctx.sessions.find(credentials);
    if (user.realm.host !== null && user.realm.host !== request.host) throw unauthorized("Invalid API key");
    // Their keys may be given away: they open nothing but the way in.
    if (user.bot_type === botTypes.incomingWebhook)
      throw unauthorized("This API is not available to incoming webhook bots.");
    try {
      await ctx.sessions.verify(user);
      return user;
    } catch (error) {
      if (!(error instanceof StaleSession)) throw error;
      ctx.sessions.forget(user.id);
    }
  }
}

function credentialsOf({ authorization, form }: PageRequest): Credentials {
  const key = form.get("api_key");
  if (authorization === undefined && key !== undefined) return { email: undefined, keyHash: hashKey(key) };
  return readCredentials(authorization);
}
