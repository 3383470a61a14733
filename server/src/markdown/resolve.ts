/** The users, groups and channels of the context that the raw text refers to, ready to be looked up. */
import type { LinkableChannel, MarkdownContext, MentionableGroup, MentionableUser } from "./context.ts";
import { findReferences, type UserReference } from "./references.ts";

export interface ResolvableReferences {
  usersById: ReadonlyMap<number, MentionableUser>;
  /** By lower-case name. */
  usersByName: ReadonlyMap<string, MentionableUser>;
  groups: ReadonlyMap<string, MentionableGroup>;
  channels: ReadonlyMap<string, LinkableChannel>;
}

const nothing: ResolvableReferences = {
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

/** Those of the users who are referred to, by name or by id. */
function findUsers(users: readonly MentionableUser[], asked: readonly UserReference[]): MentionableUser[] {
  if (asked.length === 0) return [];
  const names = new Set<string>();
  /** Names that were given with an id; one with an id alone goes by any name. */
  const namesById = new Map<number, Set<string | undefined>>();
  for (const { name, id } of asked) {
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
  if (!text.includes("*")) return nothing;
  const references = findReferences(text);
  const users = findUsers(context.users ?? [], references.users);
  return {
    usersById: new Map(users.map((user) => [user.user_id, user])),
    usersByName: new Map(users.map((user) => [user.full_name.toLowerCase(), user])),
    groups: named(context.groups, references.groupNames),
    channels: named(context.channels, references.channelNames),
  };
}
