/** What a person gets who joins with an invitation. */
import type { Role } from "@skein/api/users.ts";

export interface Offer {
  role: Role;
  channelIds: number[];
  groupIds: number[];
  /** In addition to `channelIds`. */
  defaultChannels: boolean;
  /** What the welcome bot adds to its greeting. Null: the organization's text. */
  welcomeText: string | null;
}

interface OfferColumns {
  role: number;
  channel_ids: number[];
  group_ids: number[];
  default_channels: boolean;
  welcome_message_custom_text: string | null;
}

export const toColumns = ({ role, channelIds, groupIds, defaultChannels, welcomeText }: Offer): OfferColumns => ({
  role,
  channel_ids: channelIds,
  group_ids: groupIds,
  default_channels: defaultChannels,
  welcome_message_custom_text: welcomeText,
});

export const toOffer = ({
  role,
  channel_ids,
  group_ids,
  default_channels,
  welcome_message_custom_text,
}: OfferColumns): Offer => ({
  role: role as Role, // the table takes no other
  channelIds: channel_ids,
  groupIds: group_ids,
  defaultChannels: default_channels,
  welcomeText: welcome_message_custom_text,
});
