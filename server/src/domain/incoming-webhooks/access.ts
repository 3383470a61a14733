/** Whose delivery it is: the incoming-webhook bot whose key the address carries. */
import { botTypes } from "@skein/api/bots.ts";
import type { Context } from "../../context.ts";
import { ApiError, invalidApiKey, missingParameter } from "../../errors.ts";
import type { PageRequest } from "../../http/router.ts";
import { hashKey, openNothing, StaleSession, type User } from "../../http/sessions.ts";

const keyForm = /^[A-Za-z0-9]{32}$/;

const attempts = 5;

/** With what the database says of it now. */
export async function accessWebhookBot(ctx: Context, { form, host }: PageRequest): Promise<User> {
  const key = form.get("api_key");
  if (key === undefined) throw missingParameter("api_key");
  if (!keyForm.test(key)) throw invalidApiKey("Malformed API key");
  const credentials = { email: undefined, keyHash: hashKey(key) };
  for (let attempt = 1; ; attempt++) {
    const bot = await ctx.sessions.find(credentials);
    if (bot.realm.host !== null && bot.realm.host !== host) throw openNothing(credentials);
    // Keys of others open more than the way in, and an address is no place for them.
    if (bot.bot_type !== botTypes.incomingWebhook)
      throw invalidApiKey("Only the API key of an incoming webhook bot is taken here");
    try {
      await ctx.sessions.verify(bot);
      return bot;
    } catch (error) {
      if (!(error instanceof StaleSession)) throw error;
      ctx.sessions.forget(bot.id);
      if (attempt >= attempts) throw beingChanged();
    }
  }
}

export const beingChanged = () => new ApiError("This account is being changed, try again", { status: 503 });
