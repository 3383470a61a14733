/** Registration state about third-party services, which clients call themselves; the server calls none of them. */
import type { StatePart } from "../../../events/state-part.ts";

export const outsideServiceStates: StatePart[] = [
  { types: ["giphy"], load: async (_db, { config }) => ({ giphy_api_key: config.giphyApiKey }) },
  { types: ["tenor"], load: async () => ({ tenor_api_key: "" }) },
  { types: ["video_calls"], load: async () => ({ has_zoom_token: false }) },
  { types: ["realm_billing"], load: async () => ({ realm_billing: { has_pending_sponsorship_request: false } }) },
];
