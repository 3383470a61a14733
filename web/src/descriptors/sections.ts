/** All pages of settings, by their place. */
import { channelSections } from "./channel.ts";
import { organizationSections } from "./organization.ts";
import { personalSections } from "./personal.ts";

export const allSections = {
  settings: personalSections,
  organization: organizationSections,
  "channel-settings": channelSections,
} as const;
