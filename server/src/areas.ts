/** What there is: every area's endpoints, event shapes and parts of the registration answer. */
import { authenticationEndpoints } from "./domain/auth/endpoints.ts";
import { channelEndpoints } from "./domain/channels/endpoints.ts";
import { channelState, defaultChannelState } from "./domain/channels/state.ts";
import { flagEndpoints } from "./domain/flags/endpoints.ts";
import { flagEventShapes } from "./domain/flags/event-shapes.ts";
import { starredState, unreadState } from "./domain/flags/state.ts";
import { linkifierEndpoints } from "./domain/linkifiers/endpoints.ts";
import { filterState, linkifierEventShapes, linkifierState } from "./domain/linkifiers/state.ts";
import { messageShape } from "./domain/messages/event.ts";
import { fetchEndpoints } from "./domain/messages/fetch-endpoints.ts";
import { sendEndpoints } from "./domain/messages/send-endpoints.ts";
import { messageState, recentConversationState } from "./domain/messages/state.ts";
import { realmEndpoints } from "./domain/realm/endpoints.ts";
import { realmState } from "./domain/realm/state.ts";
import { settingStates } from "./domain/settings/state.ts";
import { subscriptionEndpoints } from "./domain/subscriptions/endpoints.ts";
import { subscriptionShapes } from "./domain/subscriptions/event-shapes.ts";
import { subscriptionState } from "./domain/subscriptions/state.ts";
import { userGroupState } from "./domain/user-groups/state.ts";
import { userEndpoints } from "./domain/users/endpoints.ts";
import { userEventShapes } from "./domain/users/event-shapes.ts";
import { userState } from "./domain/users/state.ts";
import type { EventShape, EventShapes } from "./events/queue.ts";
import type { StatePart } from "./events/state-part.ts";
import type { BoundEndpoint } from "./http/handle.ts";

export const endpoints: BoundEndpoint[] = [
  ...authenticationEndpoints,
  ...channelEndpoints,
  ...fetchEndpoints,
  ...flagEndpoints,
  ...linkifierEndpoints,
  ...realmEndpoints,
  ...sendEndpoints,
  ...subscriptionEndpoints,
  ...userEndpoints,
];

const shapes: [string, EventShape][] = [
  ["message", messageShape],
  ...flagEventShapes,
  ...linkifierEventShapes,
  ...subscriptionShapes,
  ...userEventShapes,
];
export const eventShapes: EventShapes = new Map(shapes);

export const stateParts: StatePart[] = [
  channelState,
  defaultChannelState,
  filterState,
  linkifierState,
  messageState,
  realmState,
  recentConversationState,
  ...settingStates,
  starredState,
  subscriptionState,
  unreadState,
  userGroupState,
  userState,
];
