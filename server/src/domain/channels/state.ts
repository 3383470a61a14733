import type { StatePart } from "../../events/state-part.ts";
import { isGuest } from "./access.ts";
import { listChannels, listDefaultChannels, toChannelObjects } from "./queries.ts";

/** Every channel the user may know of; archived ones are never among them. */
export const channelState: StatePart = {
  types: ["stream"],
  async load(db, { user }) {
    const channels = await listChannels(db, user, {
      all: true,
      subscribed: false,
      public: false,
      webPublic: false,
      readable: false,
      ownerSubscribed: false,
      archived: false,
    });
    return { streams: await toChannelObjects(db, user.realm_id, channels) };
  },
};

export const defaultChannelState: StatePart = {
  types: ["default_streams"],
  async load(db, { user }) {
    if (isGuest(user)) return { realm_default_streams: [] };
    const channels = await listDefaultChannels(db, user.realm_id);
    return { realm_default_streams: channels.map((channel) => channel.id) };
  },
};
