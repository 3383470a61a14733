import type { StatePart } from "../../../events/state-part.ts";
import { isGuest } from "../access.ts";
import { listDefaultChannelGroups, listDefaultChannels } from "./queries.ts";

export const defaultChannelStates: StatePart[] = [
  {
    types: ["default_streams"],
    sharedBy: ({ user }) => String(isGuest(user)),
    async load(db, { user }) {
      if (isGuest(user)) return { realm_default_streams: [] };
      const channels = await listDefaultChannels(db, user.realm_id);
      return { realm_default_streams: channels.map((channel) => channel.id) };
    },
  },
  {
    types: ["default_stream_groups"],
    sharedBy: ({ user }) => String(isGuest(user)),
    async load(db, { user }) {
      if (isGuest(user)) return { realm_default_stream_groups: [] };
      return { realm_default_stream_groups: await listDefaultChannelGroups(db, user.realm_id) };
    },
  },
];
