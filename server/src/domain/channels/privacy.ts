/** A channel is web-public, public, private with shared history, or private with protected history. */
import type { Config } from "../../config.ts";
import { ApiError } from "../../errors.ts";
import type { User } from "../../identity/account.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import type { Channel, LockedChannel } from "./access.ts";
import { accessWebPublicChannels } from "./web-public.ts";

export type Privacy = Pick<Channel, "invite_only" | "is_web_public" | "history_public_to_subscribers">;

/** The parameters of a request. Omitted ones follow from the others. */
export interface PrivacyChange {
  is_private?: boolean | undefined;
  is_web_public?: boolean | undefined;
  history_public_to_subscribers?: boolean | undefined;
}

const hasChange = (change: PrivacyChange): boolean => Object.values(change).some((value) => value !== undefined);

export const contentAccessRequired = () => new ApiError("Channel content access is required.");

/** The channel's new privacy, for a user who may set it. `isDefault`: whether it will be a default channel. */
export async function accessPrivacy(
  tx: Tx,
  config: Pick<Config, "webPublicChannels">,
  user: User,
  { channel, hasContent }: LockedChannel,
  change: PrivacyChange,
  isDefault: boolean,
): Promise<Privacy> {
  const next = proposed(channel, change);
  if (next.invite_only && isDefault) throw new ApiError("A default channel cannot be private.");
  if (!hasChange(change)) return next;
  if (!isValidPrivacy(next)) throw new ApiError("Invalid parameters");
  if (!next.invite_only && user.realm.moderation_request_channel_id === channel.id)
    throw new ApiError("Moderation request channel must be private.");
  if (!hasContent) throw contentAccessRequired();
  if (change.is_web_public) await accessWebPublicChannels(tx, config, user);
  return next;
}

/** Unless the request states it, history becomes protected in a private channel and shared in any other. */
function proposed(channel: Channel, change: PrivacyChange): Privacy {
  const { is_private, is_web_public, history_public_to_subscribers: isShared } = change;
  const usual = is_private === undefined ? channel.history_public_to_subscribers : !is_private;
  return {
    invite_only: is_private ?? channel.invite_only,
    is_web_public: is_web_public ?? channel.is_web_public,
    history_public_to_subscribers: isShared ?? usual,
  };
}

export const isValidPrivacy = ({ invite_only, is_web_public, history_public_to_subscribers }: Privacy): boolean =>
  !(invite_only && is_web_public) && (invite_only || history_public_to_subscribers);
