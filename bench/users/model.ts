/**
 * What active users do, how often, and when a machine carries them. The definition is that of Mattermost's public load test,
 * so that figures can be compared, with its actions translated into ours.
 */

/** The average pause between two actions of the busiest users. */
export const idleSeconds = 20;
/** Kinds of users: which share of all, and how many times longer they pause. */
export const paces = [
  { share: 0.05, factor: 1 },
  { share: 0.1, factor: 2 },
  { share: 0.15, factor: 3 },
  { share: 0.4, factor: 6 },
  { share: 0.3, factor: 30 },
] as const;

/** Actions per second of an average user. */
export const actionsPerSecond = paces.reduce((sum, { share, factor }) => sum + share / (idleSeconds * factor), 0);

/** Every client reports presence this often. */
export const presenceSeconds = 60;

/** Actions by weight. */
export const weights = {
  "open a topic": 6.5219,
  "scroll back": 1.9873,
  "open a direct conversation": 0.9843,
  "list the topics of a channel": 1,
  "send a message": 1,
  "refresh the Inbox": 0.6023,
  "open a followed topic": 0.2841,
  "mark a topic as read": 0.3236,
  "save a draft": 0.504,
  "delete a draft": 1.41,
  "list drafts": 0.037,
  "open a message by link": 0.3,
  "add a reaction": 0.1306,
  reconnect: 0.144,
  "edit a message": 0.04,
  "delete a message": 0.0049,
  search: 0.0327,
  "look at a profile": 0.0524 + 0.03,
  "list channels": 0.015,
  "subscribe to a channel": 0.0049,
  "start a direct conversation": 0.0055,
  "start a group conversation": 0.0029,
  "create a channel": 0.0003,
  "set a status": 0.0054,
  "reload everything": 0.0008,
  "get a new key": 0.0006,
} as const;
export type ActionName = keyof typeof weights;

/** Where messages go; the rest goes to private channels. */
export const destinations = { direct: 0.6, group: 0.1, public: 0.2, private: 0.1 } as const;
export type Destination = keyof typeof destinations;
export const shareWithFile = 0.02;
export const shareOfNewTopics = 0.18;

/** Channels per user of the organization, by kind; all channels are a tenth of all conversations. */
export const channelsPerUser = { public: 1 / 20, private: 1 / 10 } as const;
const conversationsPerUser = (channelsPerUser.public + channelsPerUser.private) / 0.1;
export const directsPerUser = conversationsPerUser * 0.75;
export const groupsPerUser = conversationsPerUser * 0.15;
export const medianChannelSize = 12;
export const channelsOfUser = 30;

/** An organization is carried if all of this holds at once, for this long after the last user arrived. */
export const carried = {
  minutes: 15,
  meanMilliseconds: 100,
  p99Milliseconds: 2000,
  /** Server errors and timeouts, of all requests. */
  failedShare: 0.000_25,
  memoryShare: 0.85,
  /** From the moment a message was due to be sent until a reader has it. */
  deliveryP99Milliseconds: 500,
} as const;

/** A key chosen with a chance in proportion to its weight; `at` is from 0 up to 1. */
export function chooseByWeight<K extends string>(table: Readonly<Record<K, number>>, at: number): K {
  const entries = Object.entries(table) as [K, number][]; // the keys of a plain object
  let left = at * entries.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [key, weight] of entries) {
    left -= weight;
    if (left < 0) return key;
  }
  const last = entries.at(-1);
  if (!last) throw new Error("nothing to choose from");
  return last[0];
}

/** How many times longer than the busiest a user pauses; `at` is from 0 up to 1. */
export function paceAt(at: number): number {
  let left = at;
  for (const { share, factor } of paces) {
    left -= share;
    if (left < 0) return factor;
  }
  return paces[paces.length - 1]?.factor ?? 1;
}
