/** Who a text being written will notify, as far as the writer should know before sending it. */
import { findChannel } from "./channels.ts";
import { findKnownPerson, peopleById, type Person } from "./people.ts";
import { subscribersOf } from "./subscribers.ts";

/** From this many subscribers on, the server requires a permission. */
export const manyPeople = 15;

const wildcard = /(?:^|[^\w@])@\*\*(?:all|everyone|channel|stream)\*\*/;
const mention = /(?:^|[^\w@])@\*\*([^*|]+)(?:\|(\d+))?\*\*/g;

/** Mentions in quotes and code notify nobody. */
const withoutCode = (text: string): string =>
  text.replaceAll(/(`{3,})[^]*?(?:\1|$)/g, " ").replaceAll(/`[^`\n]*`/g, " ");

export const mentionsEveryone = (text: string): boolean => wildcard.test(withoutCode(text));

export function mentionedPeople(text: string): Person[] {
  const found = new Map<number, Person>();
  for (const [, name = "", id] of withoutCode(text).matchAll(mention)) {
    const person = id === undefined ? findByName(name) : findKnownPerson(Number(id));
    if (person?.isActive) found.set(person.user_id, person);
  }
  return [...found.values()];
}

function findByName(name: string): Person | undefined {
  for (const person of peopleById.value.values()) if (person.full_name === name && person.isActive) return person;
  return undefined;
}

/** Mentioned people who are not in the channel; empty while that is unknown. Bots get the message anyway. */
export function mentionedOutside(text: string, channelId: number): Person[] {
  const people = mentionedPeople(text).filter(({ is_bot }) => !is_bot);
  if (people.length === 0) return [];
  const inside = subscribersOf(channelId).ids.value;
  return inside === undefined ? [] : people.filter(({ user_id }) => !inside.has(user_id));
}

/** How many people a mention of everyone would notify; undefined while that is unknown. */
export const audienceOf = (channelId: number): number | undefined =>
  findChannel(channelId) === undefined ? undefined : subscribersOf(channelId).ids.value?.size;
