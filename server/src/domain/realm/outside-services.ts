/** Parts of the registration about services outside, of which this server uses none: calls are made by clients. */
import type { StatePart } from "../../events/state-part.ts";

export const outsideServiceStates: StatePart[] = [
  { types: ["giphy"], load: async () => ({ giphy_api_key: "" }) },
  { types: ["video_calls"], load: async () => ({ has_zoom_token: false }) },
  { types: ["realm_billing"], load: async () => ({ realm_billing: { has_pending_sponsorship_request: false } }) },
];
