import type { StatePart } from "../../events/state-part.ts";
import { listChannels, toChannelObjects } from "./queries.ts";

/** Every channel the user may know of; archived ones only for clients that show them. */
export const channelState: StatePart = {
  types: ["stream"],
  async load(db, { user, options }) {
    const channels = await listChannels(db, user, {
      all: true,
      subscribed: false,
      public: false,
      webPublic: false,
      readable: false,
      ownerSubscribed: false,
      archived: options.archived_channels,
    });
    return { streams: await toChannelObjects(db, user.realm_id, channels) };
  },
};
