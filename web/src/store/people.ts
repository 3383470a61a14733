/**
 * Everyone in the organization, including deactivated users and the server's own bots. There may be a hundred thousand, so
 * only the fields shown somewhere are kept, once, and a change of one person costs nothing to readers of others.
 */
import { computed, type ReadonlySignal } from "@preact/signals";
import type { RegisteredUser } from "@skein/api/users.ts";
import type { FollowedState } from "@skein/api/state/followed-state.ts";
import { ownId, part } from "./state.ts";

export interface Person {
  user_id: number;
  full_name: string;
  email: string;
  delivery_email: string | null;
  /** If absent, the avatar is at `/avatar/{user_id}`. */
  avatar_url?: string | null | undefined;
  is_bot: boolean;
  is_guest: boolean;
  role: number;
  timezone: string;
  /** In ISO 8601. */
  date_joined?: string | undefined;
  /** For a bot. */
  bot_type?: number | null | undefined;
  bot_owner_id?: number | null | undefined;
  isActive: boolean;
}

const toPerson = (user: RegisteredUser | Person, isActive: boolean): Person => ({
  user_id: user.user_id,
  full_name: user.full_name,
  email: user.email,
  // Usually the same text; sharing the string saves memory.
  delivery_email: user.delivery_email === user.email ? user.email : user.delivery_email,
  avatar_url: user.avatar_url,
  is_bot: user.is_bot,
  is_guest: user.is_guest,
  role: user.role,
  timezone: user.timezone,
  date_joined: user.date_joined,
  bot_type: user.bot_type,
  bot_owner_id: user.bot_owner_id,
  isActive,
});

/** Replaces a registration response's users with these smaller records. */
export function withSlimUsers<State extends Pick<FollowedState, "realm_users">>(state: State): State {
  if (!state.realm_users) return state;
  const people = state.realm_users.map((user) => toPerson(user, true));
  return { ...state, realm_users: people as unknown[] as RegisteredUser[] }; // events change no fields but those of a Person, or add some
}

/** Most entries of the active-users list are already small records; those added by events are not. */
const asActive = (user: RegisteredUser | Person): Person =>
  "isActive" in user && user.isActive ? user : toPerson(user, true);

/** Where people come from. A later source wins. */
const sources = [
  { users: part("cross_realm_bots"), toPerson: (user: RegisteredUser | Person) => toPerson(user, true) },
  { users: part("realm_non_active_users"), toPerson: (user: RegisteredUser | Person) => toPerson(user, false) },
  { users: part("realm_users"), toPerson: asActive },
] as const;

type Users = readonly (RegisteredUser | Person)[];

/** Everyone by id, and the lists they were taken from. Changed in place: with a hundred thousand, copying takes too long. */
const known = { people: new Map<number, Person>(), lists: sources.map((): Users => []) };

/** Everyone. A reader is notified of every change of anyone; for a few people there is `findPerson`. */
export const peopleById = computed((): Pick<ReadonlyMap<number, Person>, "get" | "has" | "values"> => {
  const lists = sources.map(({ users }): Users => (users.value as Users | undefined) ?? []); // bots have the same fields
  const changed = new Set(lists.flatMap((users, index) => changedIds(known.lists[index] ?? [], users)));
  known.lists = lists;
  const current = new Map<number, Person>();
  for (const [index, { toPerson: convert }] of sources.entries())
    for (const user of usersAmong(lists[index] ?? [], changed)) current.set(user.user_id, convert(user));
  for (const id of changed) {
    const person = current.get(id);
    if (person) known.people.set(id, person);
    else known.people.delete(id);
  }
  const { people } = known;
  return { get: (id) => people.get(id), has: (id) => people.has(id), values: () => people.values() };
});

/** Whose entries differ. Unchanged ones are the same objects, usually at the same index. */
function changedIds(before: Users, after: Users): number[] {
  if (before === after) return [];
  const differing: number[] = [];
  if (before.length === after.length) {
    for (const [index, user] of after.entries()) {
      const last = before[index];
      if (user !== last) differing.push(user.user_id, last?.user_id ?? user.user_id);
    }
    return differing;
  }
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start++;
  let end = 0;
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  for (const { user_id } of before.slice(start, before.length - end)) differing.push(user_id);
  for (const { user_id } of after.slice(start, after.length - end)) differing.push(user_id);
  return differing;
}

const usersAmong = (users: Users, ids: ReadonlySet<number>): Users =>
  ids.size === 0 ? [] : users.filter(({ user_id }) => ids.has(user_id));

const signals = new Map<number, ReadonlySignal<Person | undefined>>();

/** A reader is notified of changes of this person only. Undefined for people the reader cannot see. */
export function findKnownPerson(id: number): Person | undefined {
  let person = signals.get(id);
  if (person === undefined) {
    person = computed(() => peopleById.value.get(id));
    signals.set(id, person);
  }
  return person.value;
}

/** People the reader cannot see still need a name. */
export const findPerson = (id: number): Person =>
  findKnownPerson(id) ?? {
    user_id: id,
    full_name: "",
    email: "",
    delivery_email: null,
    is_bot: false,
    is_guest: false,
    role: 400,
    timezone: "",
    isActive: false,
  };

/** Everyone the reader can write to: active people and bots, including the reader. */
export const activePeople = computed(() => [...peopleById.value.values()].filter((person) => person.isActive));

/** Whether the organization has fewer active people than this. */
export function hasFewerPeople(than: number): boolean {
  let count = 0;
  for (const { isActive, is_bot } of peopleById.value.values())
    if (isActive && !is_bot && ++count >= than) return false;
  return true;
}

export const self = computed(() => findPerson(ownId.value));
