/**
 * Everyone in the organization, including deactivated users and the server's own bots. There may be a hundred thousand, so
 * only the fields shown somewhere are kept, once.
 */
import { computed } from "@preact/signals";
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
  /** For a bot. */
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

export const peopleById = computed((): ReadonlyMap<number, Person> => {
  const people = new Map<number, Person>();
  for (const bot of part("cross_realm_bots").value ?? []) people.set(bot.user_id, toPerson(bot, true));
  for (const user of part("realm_non_active_users").value ?? []) people.set(user.user_id, toPerson(user, false));
  for (const user of part("realm_users").value ?? []) people.set(user.user_id, asActive(user));
  return people;
});

/** Everyone the reader can write to: active people and bots, including the reader. */
export const activePeople = computed(() => [...peopleById.value.values()].filter((person) => person.isActive));

export const self = computed(() => findPerson(ownId.value));

/** People the reader cannot see still need a name. */
export const findPerson = (id: number): Person =>
  peopleById.value.get(id) ?? {
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
