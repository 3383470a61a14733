/** Exports by chance, determined by a seed, of a chat with topics, guests, private channels and protected history. */
import type { SourceChannel, SourceDirect, SourceMessage } from "../src/domain/data/imports/source.ts";
import { at, sourceChannel, sourcePerson, type Export } from "./memory-source.ts";

/** Random numbers from 0 to 1, determined by the seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export class Chance {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  isLucky(share: number): boolean {
    return this.#random() < share;
  }

  of<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T; // there is one
  }

  some<T>(items: readonly T[], share = 0.5): T[] {
    return items.filter(() => this.isLucky(share));
  }
}

export interface RandomExport extends Export {
  channels: SourceChannel[];
  directs: SourceDirect[];
  messages: SourceMessage[];
}

export const everybody = ["owner", "ann", "ben", "cleo", "guest", "gone"] as const;
const begin = at("2024-03-01 10:00");
const minute = 60_000_000;

export function randomExport(chance: Chance, count = 40): RandomExport {
  const channels = [
    sourceChannel("open", chance.some(everybody, 0.7)),
    sourceChannel("closed", chance.some(everybody), { isPrivate: true }),
    ...["guarded", "vault"].map((id) =>
      sourceChannel(id, chance.some(everybody, 0.7), { isPrivate: true, hasProtectedHistory: true }),
    ),
  ];
  const directs = [["ann", "ben"], ["owner", "guest", "cleo"], ["ann"]].map((members, n) => ({ id: `d${n}`, members }));
  const given: RandomExport = {
    name: "zulip",
    people: [
      sourcePerson("owner", { role: 100 }),
      ...["ann", "ben", "cleo"].map((id) => sourcePerson(id)),
      sourcePerson("guest", { role: 600 }),
      sourcePerson("gone", { isActive: false }),
    ],
    channels,
    directs,
    messages: [],
    topicVisibility: [],
  };
  for (let n = 0; n < count; n++) addMessage(given, chance);
  return given;
}

/** A later one. */
export function addMessage(given: RandomExport, chance: Chance): void {
  const { channels, directs, messages } = given;
  const n = messages.length;
  const id = `m${n}`;
  const isDirect = chance.isLucky(0.25);
  const direct = chance.of(directs);
  const channel = chance.of(channels);
  const senderId = isDirect ? chance.of(direct.members) : chance.of(everybody);
  const possible = isDirect ? direct.members : channel.members;
  const receivedBy = isDirect ? [...possible] : chance.some(possible, 0.6);
  const place = isDirect ? { directId: direct.id } : { channelId: channel.id, topic: chance.of(topicsOf(channel.id)) };
  const earlier = chance.isLucky(0.3) && n > 0 ? chance.of(messages) : undefined;
  messages.push({
    id,
    senderId,
    ...place,
    at: begin + n * minute,
    text: [
      wordOf(id),
      ...(earlier ? [" see ", { kind: "message" as const, id: earlier.id, original: `https://old.example/${n}` }] : []),
      ...(chance.isLucky(0.3)
        ? [" ", { kind: "person" as const, id: chance.of(everybody), isLoud: true as const }]
        : []),
    ],
    receivedBy,
    unreadBy: chance.some(receivedBy, 0.3).filter((person) => person !== senderId),
    starredBy: chance.some(receivedBy, 0.1),
    mentioned: chance.some(receivedBy, 0.1),
    ...(chance.isLucky(0.2) ? { reactions: [{ emojiName: "heart", people: chance.some(possible, 0.3) }] } : {}),
    ...(chance.isLucky(0.2)
      ? { edits: [{ personId: senderId, at: begin + (n + 1) * minute, previousText: [`${wordOf(id)} before`] }] }
      : {}),
  });
}

/** What only this message contains. */
export const wordOf = (id: string): string => `word${id}x`;

export const topicsOf = (channelId: string): string[] => [`${channelId} north`, `${channelId} south`];

/** Whether a person can read a message in the source. */
export function couldRead({ channels, directs }: RandomExport, person: string, message: SourceMessage): boolean {
  const direct = directs.find(({ id }) => id === message.directId);
  if (direct) return direct.members.includes(person);
  const channel = channels.find(({ id }) => id === message.channelId);
  if (!channel) return false;
  const isMember = channel.members.includes(person);
  if (channel.hasProtectedHistory) return isMember && message.receivedBy?.includes(person) === true;
  return isMember || (!channel.isPrivate && person !== "guest");
}
