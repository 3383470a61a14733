/** Looks up the users, groups and channels of the context that the raw text refers to. */
import type { LinkableChannel, MarkdownContext, MentionableGroup, MentionableUser } from "./context.ts";
import { findReferences, type UserReference } from "./references.ts";

export interface ResolvableReferences {
  usersById: ReadonlyMap<number, MentionableUser>;
  /** By lowercase name. */
  usersByName: ReadonlyMap<string, MentionableUser>;
  groups: ReadonlyMap<string, MentionableGroup>;
  channels: ReadonlyMap<string, LinkableChannel>;
}

const noReferences: ResolvableReferences = {
  usersById: new Map(),
  usersByName: new Map(),
  groups: new Map(),
  channels: new Map(),
};

const named = <T extends { name: string }>(things: readonly T[] = [], names: readonly string[]): Map<string, T> => {
  if (names.length === 0) return new Map();
  const wanted = new Set(names);
  return new Map(things.filter(({ name }) => wanted.has(name)).map((thing) => [thing.name, thing]));
};

/** The users that are referred to, by name or by id. */
function findUsers(users: readonly MentionableUser[], references: readonly UserReference[]): MentionableUser[] {
  if (references.length === 0) return [];
  const names = new Set<string>();
  /** Names that were given with an id; `undefined` for an id alone, which matches any name. */
  const namesById = new Map<number, Set<string | undefined>>();
  for (const { name, id } of references) {
    if (id === undefined) names.add((name ?? "").toLowerCase());
    else namesById.set(id, (namesById.get(id) ?? new Set()).add(name?.toLowerCase()));
  }
  return users.filter(({ user_id, full_name }) => {
    const name = full_name.toLowerCase();
    const given = namesById.get(user_id);
    return names.has(name) || given?.has(name) === true || given?.has(undefined) === true;
  });
}

export function resolveReferences(text: string, context: MarkdownContext): ResolvableReferences {
  if (!text.includes("*")) return noReferences;
  const references = findReferences(text);
  const users = findUsers(context.users ?? [], references.users);
  return {
    usersById: new Map(users.map((user) => [user.user_id, user])),
    usersByName: new Map(users.map((user) => [user.full_name.toLowerCase(), user])),
    groups: named(context.groups, references.groupNames),
    channels: named(context.channels, references.channelNames),
  };
}
