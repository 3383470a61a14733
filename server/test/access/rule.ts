/** Who may reach what, said plainly: the one account of it that the server is held against. */
import { roles } from "@skein/api/users.ts";
import type { Kind } from "./plan.ts";

export interface Person {
  id: number;
  role: number;
  isOpen: boolean;
}

export interface Place {
  id: number;
  name: string;
  kind: Kind;
  isArchived: boolean;
  /** Those in the group that opens it. */
  holders: Set<Person>;
  /** From which id to before which each was subscribed. */
  stays: Map<Person, [from: number, until: number][]>;
}

export interface Message {
  id: number;
  senderId: number;
  /** Where it stands now. */
  place: Place | Person[];
  topic: string;
  /** Where it was sent to, and the id of the next message when it came to where it stands. */
  origin: Place | undefined;
  entered: number;
  /** Whether it has the word everybody searches for. */
  hasWord: boolean;
  files: Set<File>;
}

export interface File {
  path: string;
  owner: Person;
}

export type ChannelMessage = Message & { place: Place };

export const isInChannel = (message: Message): message is ChannelMessage => !Array.isArray(message.place);

export const isSubscribed = (person: Person, { stays }: Place): boolean =>
  (stays.get(person) ?? []).some(([, until]) => until === Infinity);

const wasThere = (person: Person, { stays }: Place, id: number): boolean =>
  (stays.get(person) ?? []).some(([from, until]) => from <= id && id < until);

/** Whether somebody may read what is written in a channel. */
export function isOpenTo(person: Person, place: Place): boolean {
  if (place.kind === "web-public" || isSubscribed(person, place)) return true;
  return person.role !== roles.guest && (place.kind === "public" || place.holders.has(person));
}

/** Whether somebody may know that a channel is there. */
export const isKnownTo = (person: Person, place: Place): boolean =>
  person.role <= roles.administrator || isOpenTo(person, place);

/** Where history is protected, it begins for each when they come. */
export function canRead(person: Person, { place, entered }: Message): boolean {
  if (Array.isArray(place)) return place.includes(person);
  return isOpenTo(person, place) && (place.kind !== "protected" || wasThere(person, place, entered));
}

export const wasSent = (person: Person, { id, place, origin }: Message): boolean =>
  Array.isArray(place) ? place.includes(person) : wasThere(person, origin ?? place, id);

export const canFetch = (person: Person, file: File, messages: readonly Message[]): boolean =>
  file.owner === person || messages.some((message) => message.files.has(file) && canRead(person, message));
