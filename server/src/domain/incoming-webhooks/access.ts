/** Whose delivery it is: the incoming-webhook bot whose key the address carries. */
import { botTypes } from "@skein/api/bots.ts";
import type { Context } from "../../context.ts";
import { ApiError, missingParameter } from "../../errors.ts";
import type { PageRequest } from "../../http/router.ts";
import { hashKey, StaleSession, type User } from "../../http/sessions.ts";
import { invalidKey } from "./refusals.ts";

const keyForm = /^[A-Za-z0-9]{32}$/;

const attempts = 5;

/** With what the database says of it now. */
export async function accessWebhookBot(ctx: Context, { form, host }: PageRequest): Promise<User> {
  const key = form.get("api_key");
  if (key === undefined) throw missingParameter("api_key");
  if (!keyForm.test(key)) throw invalidKey("Malformed API key");
  for (let attempt = 1; ; attempt++) {
    const bot = await findByKey(ctx, key);
    if (bot.realm.host !== null && bot.realm.host !== host) throw invalidKey();
    // Keys of others open more than the way in, and an address is no place for them.
    if (bot.bot_type !== botTypes.incomingWebhook)
      throw invalidKey("Only the API key of an incoming webhook bot is taken here");
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

async function findByKey({ sessions }: Context, key: string): Promise<User> {
  try {
    return await sessions.find({ email: undefined, keyHash: hashKey(key) });
  } catch (error) {
    throw error instanceof ApiError ? invalidKey() : error;
  }
}
