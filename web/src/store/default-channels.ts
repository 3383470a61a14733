/** The channels that new users are subscribed to. */
import { addDefaultChannel, removeDefaultChannel } from "@skein/api/routes/default-channels.ts";
import { call } from "../api/call.ts";
import { confirmed } from "./setting-stores.ts";
import { part } from "./state.ts";

export const isDefaultChannel = (channelId: number): boolean =>
  part("realm_default_streams").value?.includes(channelId) ?? false;

const withChannel = (ids: readonly number[], channelId: number, isDefault: boolean): number[] => {
  const others = ids.filter((id) => id !== channelId);
  return isDefault ? [...others, channelId].toSorted((a, b) => a - b) : others;
};

export const saveDefaultChannel = (channelId: number, isDefault: boolean): Promise<void> =>
  confirmed(
    {
      key: "default channels",
      event: {
        type: "default_streams",
        default_streams: withChannel(part("realm_default_streams").peek() ?? [], channelId, isDefault),
      },
      eventFor: ({ realm_default_streams = [] }) => ({
        type: "default_streams",
        default_streams: withChannel(realm_default_streams, channelId, isDefault),
      }),
      isConfirmedBy: (event) =>
        event.type === "default_streams" && event.default_streams.includes(channelId) === isDefault,
    },
    () => call(isDefault ? addDefaultChannel : removeDefaultChannel, { stream_id: channelId }),
  );
