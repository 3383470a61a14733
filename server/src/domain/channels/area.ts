/** Channels, subscriptions, default channels, topics, and the visibility each user chose for topics. */
import { defaultChannelEndpoints } from "./default-channels/endpoints.ts";
import { defaultChannelStates } from "./default-channels/state.ts";
import { channelEventShapes } from "./event-shapes.ts";
import { channelFolderEndpoints } from "./folders/endpoints.ts";
import { channelFolderState } from "./folders/state.ts";
import { refreshChannelActivity } from "./jobs.ts";
import { channelState } from "./state.ts";
import { subscriptionShapes } from "./subscriptions/event-shapes.ts";
import { subscriptionState } from "./subscriptions/state.ts";
import { topicEndpoints } from "./topics/endpoints.ts";
import { userTopicEndpoints } from "./user-topics/endpoints.ts";
import { mutedTopicState, userTopicEventShapes, userTopicState } from "./user-topics/state.ts";
import type { Area } from "../../area.ts";

export const channels: Area = {
  endpoints: [...channelFolderEndpoints, ...defaultChannelEndpoints, ...topicEndpoints, ...userTopicEndpoints],
  eventShapes: () => [...channelEventShapes, ...subscriptionShapes, ...userTopicEventShapes],
  stateParts: [
    channelState,
    channelFolderState,
    ...defaultChannelStates,
    subscriptionState,
    mutedTopicState,
    userTopicState,
  ],
  jobs: [refreshChannelActivity],
};
