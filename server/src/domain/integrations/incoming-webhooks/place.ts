/** Where a bot's messages go: to the channel in the URL, or else to the bot's owner. */
import { ApiError } from "../../../errors.ts";
import type { User } from "../../../identity/account.ts";
import type { ChannelTarget } from "../../channels/access.ts";

export type Place = { channel: ChannelTarget; topic: string | undefined } | { ownerId: number };

export function placeFor(bot: User, option: (key: string) => string | undefined): Place {
  const named = option("stream");
  if (named !== undefined) return { channel: readTarget(named), topic: option("topic") };
  if (bot.bot_owner_id === null) throw new ApiError("This bot has no owner: its URL must name a channel");
  return { ownerId: bot.bot_owner_id };
}

function readTarget(named: string): ChannelTarget {
  const id = /^\d+$/.test(named) ? Number(named) : Number.NaN;
  if (Number.isSafeInteger(id)) return { id };
  const name = named.trim();
  if (name === "") throw new ApiError("Channel name can't be empty");
  return { name };
}
