/** Every channel one could go to, to be found by its name or what it is about. */
import { computed } from "@preact/signals";
import { KeptMatcher } from "../composer/kept-matcher.ts";
import { channelsById } from "../store/channels.ts";

const channels = computed(() => [...channelsById.value.values()].filter((channel) => !channel.is_archived));

export const channelMatcher = new KeptMatcher(channels, ({ name, description }) => `${name}\n${description}`);
