/** All visible channels, searchable by name and description. */
import { computed } from "@preact/signals";
import { IncrementalMatcher } from "./incremental-matcher.ts";
import { channelsById } from "./channels.ts";

const channels = computed(() => [...channelsById.value.values()].filter((channel) => !channel.is_archived));

export const channelMatcher = new IncrementalMatcher(channels, ({ name, description }) => `${name}\n${description}`);
