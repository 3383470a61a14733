/** What a person gets who joins with an invitation. */
import type { Role } from "@skein/api/users.ts";

export interface Offer {
  role: Role;
  channelIds: number[];
  groupIds: number[];
  /** In addition to `channelIds`. */
  defaultChannels: boolean;
}

interface OfferColumns {
  role: number;
  channel_ids: number[];
  group_ids: number[];
  default_channels: boolean;
}

export const toColumns = ({ role, channelIds, groupIds, defaultChannels }: Offer): OfferColumns => ({
  role,
  channel_ids: channelIds,
  group_ids: groupIds,
  default_channels: defaultChannels,
});

export const toOffer = ({ role, channel_ids, group_ids, default_channels }: OfferColumns): Offer => ({
  role: role as Role, // the table takes no other
  channelIds: channel_ids,
  groupIds: group_ids,
  defaultChannels: default_channels,
});
