/** The people of the organization as tables list them. */
import { computed } from "@preact/signals";
import type { BotObject } from "@skein/api/bots.ts";
import { Listing, sortText } from "./listing.ts";
import { peopleMatcher } from "./people-matcher.ts";
import { activePeople, findKnownPerson, peopleById, type Person } from "./people.ts";
import { lastSeen } from "./presence.ts";
import { part } from "./state.ts";

const textOf = ({ full_name, delivery_email }: Person): string => `${full_name}\n${delivery_email ?? ""}`;

const options = {
  keyOf: ({ user_id }: Person) => user_id,
  textOf,
  addressOf: ({ delivery_email }: Person) => delivery_email ?? "",
};

const sorts = {
  name: ({ full_name }: Person) => sortText(full_name),
  address: ({ delivery_email }: Person) => delivery_email?.toLowerCase() ?? "",
  role: ({ role }: Person) => role,
  joined: ({ date_joined }: Person) => date_joined ?? "",
};

export const userListing = new Listing<Person>({
  ...options,
  items: computed(() => activePeople.value.filter(({ is_bot }) => !is_bot)),
  matcher: peopleMatcher,
  // Those seen last come first.
  sorts: { ...sorts, seen: ({ user_id }) => -(lastSeen(user_id) ?? 0) },
});

export const deactivatedListing = new Listing<Person>({
  ...options,
  items: computed(() => [...peopleById.value.values()].filter(({ isActive, is_bot }) => !isActive && !is_bot)),
  sorts,
});

const systemBots = computed(() => new Set((part("cross_realm_bots").value ?? []).map(({ user_id }) => user_id)));

const ownerName = ({ bot_owner_id }: Person): string =>
  typeof bot_owner_id === "number" ? (peopleById.value.get(bot_owner_id)?.full_name ?? "") : "";

/** Of everybody, also deactivated ones; not the server's own. */
export const botListing = new Listing<Person>({
  ...options,
  textOf: (bot) => `${textOf(bot)}\n${ownerName(bot)}`,
  items: computed(() =>
    [...peopleById.value.values()].filter(({ is_bot, user_id }) => is_bot && !systemBots.value.has(user_id)),
  ),
  sorts: {
    ...sorts,
    type: ({ bot_type }) => bot_type ?? 0,
    owner: (bot) => sortText(ownerName(bot)),
    state: ({ isActive }) => Number(!isActive),
  },
});

/** What only its owner and administrators see of a bot: its key and its settings. */
export const findBot = (id: number): BotObject | undefined =>
  part("realm_bots").value?.find(({ user_id }) => user_id === id);

/** The active bots of a person, which are deactivated together with them. */
export const botsOf = (ownerId: number): readonly Person[] =>
  botListing.items.filter(({ bot_owner_id, isActive }) => bot_owner_id === ownerId && isActive);

/** Someone with an account here, whatever its state. */
export const findUser = (id: number): Person | undefined => {
  const person = findKnownPerson(id);
  return person && !systemBots.value.has(id) ? person : undefined;
};
