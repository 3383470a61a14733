/** What a channel's privacy may be: web-public, public, private with shared history, private with protected history. */
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel, ChannelInHand } from "./access.ts";
import { accessWebPublicChannels } from "./web-public.ts";

export type Privacy = Pick<Channel, "invite_only" | "is_web_public" | "history_public_to_subscribers">;

/** As a request says it; what is left out follows from the rest. */
export interface PrivacyChange {
  is_private?: boolean | undefined;
  is_web_public?: boolean | undefined;
  history_public_to_subscribers?: boolean | undefined;
}

const isAsked = (change: PrivacyChange): boolean => Object.values(change).some((value) => value !== undefined);

export const contentAccessRequired = () => new ApiError("Channel content access is required.");

/** The privacy the channel is to have, for a user who may give it that. `isDefault`: whether it is a default channel then. */
export async function accessPrivacy(
  tx: Tx,
  config: Pick<Config, "webPublicChannels">,
  user: User,
  { channel, hasContent }: ChannelInHand,
  change: PrivacyChange,
  isDefault: boolean,
): Promise<Privacy> {
  const next = proposed(channel, change);
  if (next.invite_only && isDefault) throw new ApiError("A default channel cannot be private.");
  if (!isAsked(change)) return next;
  if (!isPossible(next)) throw new ApiError("Invalid parameters");
  if (!next.invite_only && user.realm.moderation_request_channel_id === channel.id)
    throw new ApiError("A moderation request channel cannot be public.");
  if (!hasContent) throw contentAccessRequired();
  if (change.is_web_public) await accessWebPublicChannels(tx, config, user);
  return next;
}

/** A channel that becomes private protects its history unless told otherwise; one that is not shares it. */
function proposed(channel: Channel, change: PrivacyChange): Privacy {
  const { is_private, is_web_public, history_public_to_subscribers: isShared } = change;
  const usual = is_private === undefined ? channel.history_public_to_subscribers : !is_private;
  return {
    invite_only: is_private ?? channel.invite_only,
    is_web_public: is_web_public ?? channel.is_web_public,
    history_public_to_subscribers: isShared ?? usual,
  };
}

export const isPossible = ({ invite_only, is_web_public, history_public_to_subscribers }: Privacy): boolean =>
  !(invite_only && is_web_public) && (invite_only || history_public_to_subscribers);
