/**
 * How many people are in each channel: a power law. The largest channels hold everybody, as many of them as it takes for a
 * user to be in thirty channels; from there on sizes fall to the median at the middle of the list.
 */
import { channelsOfUser, channelsPerUser, medianChannelSize } from "./model.ts";

const smallest = 2;

export const countChannels = (users: number): number =>
  Math.round(users * channelsPerUser.public) + Math.round(users * channelsPerUser.private);

/** Sizes, largest first. */
export function channelSizes(users: number): number[] {
  const count = countChannels(users);
  let sizes: number[] = [];
  for (let full = 1; full <= Math.ceil(count / 2); full++) {
    sizes = sizesWith(users, count, full);
    const subscriptions = sizes.reduce((sum, size) => sum + size, 0);
    if (subscriptions >= users * channelsOfUser) break;
  }
  return sizes;
}

/** The first `full` channels hold everybody. */
function sizesWith(users: number, count: number, full: number): number[] {
  const slope = Math.log(users / medianChannelSize) / Math.log(Math.max(1.1, count / 2 / full));
  return Array.from({ length: count }, (_, index) => {
    const size = index < full ? users : users * ((index + 1) / full) ** -slope;
    return Math.max(smallest, Math.min(users, Math.round(size)));
  });
}
