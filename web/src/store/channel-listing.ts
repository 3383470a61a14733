/** All channels that the reader knows about, as the administration's table shows them. */
import { computed } from "@preact/signals";
import { privacyOf } from "./channel-privacy.ts";
import { channelsById, type Channel } from "./channels.ts";
import { Listing, sortText } from "./listing.ts";
import { retentionOf } from "./retention.ts";

const privacies = ["webPublic", "public", "private", "protected"] as const;

export const channelListing = new Listing<Channel>({
  items: computed(() => [...channelsById.value.values()]),
  keyOf: ({ stream_id }) => stream_id,
  textOf: ({ name, description }) => `${name}\n${description}`,
  sorts: {
    name: ({ name }) => sortText(name),
    privacy: (channel) => privacies.indexOf(privacyOf(channel)),
    traffic: ({ stream_weekly_traffic }) => stream_weekly_traffic ?? -1,
    retention: ({ message_retention_days }) => retentionOf(message_retention_days),
  },
});
