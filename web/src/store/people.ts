/** Everybody in the organization, the deactivated and the server's own bots among them. */
import { computed } from "@preact/signals";
import type { RegisteredUser } from "@skein/api/users.ts";
import { ownId, part } from "./state.ts";

export interface Person {
  user_id: number;
  full_name: string;
  email: string;
  delivery_email: string | null;
  /** Absent: `/avatar/{user_id}` has it. */
  avatar_url?: string | null | undefined;
  is_bot: boolean;
  is_guest: boolean;
  role: number;
  timezone: string;
  /** Of a bot. */
  bot_owner_id?: number | null | undefined;
  isActive: boolean;
}

const toPerson = (user: RegisteredUser, isActive: boolean): Person => ({ ...user, isActive });

export const peopleById = computed((): ReadonlyMap<number, Person> => {
  const people = new Map<number, Person>();
  for (const bot of part("cross_realm_bots").value ?? []) people.set(bot.user_id, toPerson(bot, true));
  for (const user of part("realm_non_active_users").value ?? []) people.set(user.user_id, toPerson(user, false));
  for (const user of part("realm_users").value ?? []) people.set(user.user_id, toPerson(user, true));
  return people;
});

/** Those one can write to: active people and bots, oneself too. */
export const activePeople = computed(() => [...peopleById.value.values()].filter((person) => person.isActive));

export const self = computed(() => findPerson(ownId.value));

/** Somebody the reader may know nothing of has a name nonetheless. */
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
