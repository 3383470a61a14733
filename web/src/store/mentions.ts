/** Whom a text being written will tell, as far as that is worth knowing before it is sent. */
import { findChannel } from "./channels.ts";
import { peopleById, type Person } from "./people.ts";
import { subscribersOf } from "./subscribers.ts";

/** The server asks for a permission from so many on. */
export const manyPeople = 15;

const wildcard = /(?:^|[^\w@])@\*\*(?:all|everyone|channel|stream)\*\*/;
const mention = /(?:^|[^\w@])@\*\*([^*|]+)(?:\|(\d+))?\*\*/g;

/** What is quoted or code tells nobody. */
const spoken = (text: string): string => text.replaceAll(/(`{3,})[^]*?(?:\1|$)/g, " ").replaceAll(/`[^`\n]*`/g, " ");

export const mentionsEverybody = (text: string): boolean => wildcard.test(spoken(text));

export function mentionedPeople(text: string): Person[] {
  const found = new Map<number, Person>();
  for (const [, name = "", id] of spoken(text).matchAll(mention)) {
    const person = id === undefined ? findByName(name) : peopleById.value.get(Number(id));
    if (person?.isActive) found.set(person.user_id, person);
  }
  return [...found.values()];
}

function findByName(name: string): Person | undefined {
  for (const person of peopleById.value.values()) if (person.full_name === name && person.isActive) return person;
  return undefined;
}

/** Those of the mentioned who are not in the channel; nobody while that is not known. Bots read it all the same. */
export function mentionedOutside(text: string, channelId: number): Person[] {
  const people = mentionedPeople(text).filter(({ is_bot }) => !is_bot);
  if (people.length === 0) return [];
  const inside = subscribersOf(channelId).ids.value;
  return inside === undefined ? [] : people.filter(({ user_id }) => !inside.has(user_id));
}

/** How many a mention of everybody would tell; undefined while that is not known. */
export const audienceOf = (channelId: number): number | undefined =>
  findChannel(channelId) === undefined ? undefined : subscribersOf(channelId).ids.value?.size;
