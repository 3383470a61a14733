/** The access rule in its simplest form: the model that the server is compared with. */
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
  /** Members of the group that grants access. */
  holders: Set<Person>;
  /** Subscription periods by user, as half-open ranges of message ids. */
  stays: Map<Person, [from: number, until: number][]>;
}

export interface Message {
  id: number;
  senderId: number;
  /** The current place. */
  place: Place | Person[];
  /** In lower case. */
  topic: string;
  /** The names it has shown for its topic, the current one last. */
  spellings: string[];
  /** The original place, and the next message id at the time of the move. */
  origin: Place | undefined;
  entered: number;
  /** Whether it contains the search word. */
  hasWord: boolean;
  files: Set<File>;
}

export interface File {
  path: string;
  owner: Person;
}

/** Decides which users guests see. */
export interface Company {
  /** Guests see only some users. */
  hidesPeople: boolean;
  places: readonly Place[];
  /** Users who share a direct conversation. */
  conversations: readonly (readonly Person[])[];
}

export type ChannelMessage = Message & { place: Place };

export const isInChannel = (message: Message): message is ChannelMessage => !Array.isArray(message.place);

export const isSubscribed = (person: Person, { stays }: Place): boolean =>
  (stays.get(person) ?? []).some(([, until]) => until === Infinity);

const wasThere = (person: Person, { stays }: Place, id: number): boolean =>
  (stays.get(person) ?? []).some(([from, until]) => from <= id && id < until);

/** Whether a user may read a channel's messages. */
export function isOpenTo(person: Person, place: Place): boolean {
  if (place.kind === "web-public" || isSubscribed(person, place)) return true;
  return person.role !== roles.guest && (place.kind === "public" || place.holders.has(person));
}

/** Whether a user may know that a channel exists. */
export const isKnownTo = (person: Person, place: Place): boolean =>
  person.role <= roles.administrator || isOpenTo(person, place);

/** With protected history, users see only messages since they subscribed. */
export function canRead(person: Person, { place, entered }: Message): boolean {
  if (Array.isArray(place)) return place.includes(person);
  return isOpenTo(person, place) && (place.kind !== "protected" || wasThere(person, place, entered));
}

/** Whether a user may see another user. */
export function canSee(person: Person, other: Person, { hidesPeople, places, conversations }: Company): boolean {
  if (!hidesPeople || person.role !== roles.guest || person === other) return true;
  // A deactivated account is in no channel.
  const areTogether = (place: Place) => other.isOpen && isSubscribed(person, place) && isSubscribed(other, place);
  return (
    places.some(areTogether) || conversations.some((parties) => parties.includes(person) && parties.includes(other))
  );
}

export const wasSent = (person: Person, { id, place, origin }: Message): boolean =>
  Array.isArray(place) ? place.includes(person) : wasThere(person, origin ?? place, id);

export const canFetch = (person: Person, file: File, messages: readonly Message[]): boolean =>
  file.owner === person || messages.some((message) => message.files.has(file) && canRead(person, message));
