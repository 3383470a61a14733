/** Authenticates a delivery: the URL contains the API key of an incoming webhook bot. */
import { botTypes } from "@skein/api/bots.ts";
import type { Context } from "../../../context.ts";
import { ApiError, invalidApiKey, missingParameter } from "../../../errors.ts";
import type { PageRequest } from "../../../http/page.ts";
import { hashSecret, invalidCredentials, StaleSession } from "../../../identity/sessions.ts";
import type { User } from "../../../identity/account.ts";
import { findAccount } from "../../../http/wrong-keys.ts";

const keyForm = /^[A-Za-z0-9]{32}$/;

const attempts = 5;

/** The bot, checked against the database. */
export async function accessWebhookBot(ctx: Context, { form, host, ip, address }: PageRequest): Promise<User> {
  const key = form.get("api_key");
  if (key === undefined) throw missingParameter("api_key");
  if (!keyForm.test(key)) throw invalidApiKey("Malformed API key");
  const credentials = { email: undefined, keyHash: hashSecret(key) };
  for (let attempt = 1; ; attempt++) {
    const bot = await findAccount(ctx, credentials, ip);
    if (bot.realm.host !== null && bot.realm.host !== host) throw invalidCredentials(credentials);
    // Other accounts' keys grant more access and do not belong in a URL.
    if (bot.bot_type !== botTypes.incomingWebhook)
      throw invalidApiKey("Only the API key of an incoming webhook bot is accepted here");
    try {
      await ctx.sessions.verify(bot);
      if (bot.credential) await ctx.sessions.keyUses.note(bot.credential, address);
      return bot;
    } catch (error) {
      if (!(error instanceof StaleSession)) throw error;
      ctx.sessions.forget(bot.id);
      if (attempt >= attempts) throw accountIsChanging();
    }
  }
}

export const accountIsChanging = () => new ApiError("This account is being changed, try again", { status: 503 });
