import type { z } from "zod";
import type { profileFieldsEvent } from "../profile-fields.ts";
import { roles } from "../roles.ts";
import type { RegisteredUser, Role, UserObject, realmUserEvents } from "../users.ts";
import { avatarUrl } from "./avatar-url.ts";
import { followBotAccount } from "./bots.ts";
import { change, without, type FollowedState } from "./followed-state.ts";
import { unlist } from "./listed-in-settings.ts";

type UserEvent = z.output<(typeof realmUserEvents)[number]>;
type Person = Extract<UserEvent, { op: "update" }>["person"];

export function applyUserEvent(state: FollowedState, event: UserEvent): FollowedState {
  switch (event.op) {
    case "add":
      return addUser(state, event.person);
    case "remove":
      return removeUser(state, event.person.user_id);
    case "update":
      return updateUser(state, event.person);
  }
}

const byId = (users: readonly RegisteredUser[]): RegisteredUser[] => users.toSorted((a, b) => a.user_id - b.user_id);
const except = (users: readonly RegisteredUser[], id: number) => users.filter((user) => user.user_id !== id);

function addUser(state: FollowedState, { is_active, ...user }: UserObject): FollowedState {
  const [list, other] = is_active
    ? (["realm_users", "realm_non_active_users"] as const)
    : (["realm_non_active_users", "realm_users"] as const);
  // A previously inaccessible user may be in the wrong list: their account may turn out to be deactivated.
  const elsewhere = change(state, other, (users) => except(users, user.user_id));
  return change(elsewhere, list, (users) => byId([...except(users, user.user_id), user]));
}

function removeUser(state: FollowedState, id: number): FollowedState {
  const first = change(state, "realm_users", (users) => except(users, id));
  return change(first, "realm_non_active_users", (users) => except(users, id));
}

function updateUser(state: FollowedState, person: Person): FollowedState {
  if ("is_active" in person)
    return person.is_active ? reactivate(state, person.user_id) : deactivate(state, person.user_id);
  const fields = (user: RegisteredUser): RegisteredUser =>
    user.user_id === person.user_id ? { ...user, ...changedFields(user, person) } : user;
  const active = change(state, "realm_users", (users) => users.map(fields));
  const listed = change(active, "realm_non_active_users", (users) => users.map(fields));
  const all = followBotAccount(listed, person);
  return person.user_id === state.user_id ? updateSelf(all, person) : all;
}

type Change = Exclude<Person, { is_active: boolean }>;

function changedFields(user: RegisteredUser, person: Change): Partial<RegisteredUser> {
  if ("new_email" in person) return { email: person.new_email };
  if ("role" in person) return roleFields(person.role);
  if ("avatar_url" in person) return { avatar_url: person.avatar_url, avatar_version: person.avatar_version };
  if ("timezone" in person) return { timezone: person.timezone };
  if ("custom_profile_field" in person) {
    if (!user.profile_data) return {};
    const { id, value, rendered_value } = person.custom_profile_field;
    const { [id]: _previous, ...others } = user.profile_data;
    if (value === null) return { profile_data: others };
    return { profile_data: { ...others, [id]: rendered_value === undefined ? { value } : { value, rendered_value } } };
  }
  return person;
}

const roleFields = (role: Role) => ({
  role,
  is_owner: role === roles.owner,
  is_admin: role <= roles.administrator,
  is_guest: role === roles.guest,
});

type FieldsEvent = z.output<typeof profileFieldsEvent>;

/** Removing a field also removes the users' values for it. */
export function applyProfileFieldsEvent(state: FollowedState, { fields }: FieldsEvent): FollowedState {
  const known = new Set(fields.map(({ id }) => String(id)));
  const prune = (users: RegisteredUser[]): RegisteredUser[] =>
    users.map((user) => {
      if (!user.profile_data) return user;
      const left = Object.entries(user.profile_data).filter(([id]) => known.has(id));
      return { ...user, profile_data: Object.fromEntries(left) };
    });
  const listed = change(state, "custom_profile_fields", () => fields);
  return change(change(listed, "realm_users", prune), "realm_non_active_users", prune);
}

/** The user's own account also appears as top-level fields of the response. */
function updateSelf(state: FollowedState, person: Change): FollowedState {
  if ("full_name" in person) return change(state, "full_name", () => person.full_name);
  if ("new_email" in person) return change(state, "email", () => person.new_email);
  if ("delivery_email" in person) {
    return change(state, "delivery_email", (known) => person.delivery_email ?? known);
  }
  if ("avatar_url" in person) {
    const source = change(state, "avatar_source", () => person.avatar_source);
    const large = change(source, "avatar_url_medium", () => person.avatar_url_medium);
    return change(large, "avatar_url", () => avatarUrl(person));
  }
  if ("timezone" in person) {
    const flat = change(state, "timezone", () => person.timezone);
    return change(flat, "user_settings", (settings) => ({ ...settings, timezone: person.timezone }));
  }
  if ("role" in person) {
    const { is_owner, is_admin, is_guest } = roleFields(person.role);
    if (state.is_owner === undefined) return state;
    return { ...state, is_owner, is_admin, is_guest, is_moderator: person.role <= roles.moderator };
  }
  return state;
}

/** To others, deactivated users are not in any group or channel. */
function deactivate(state: FollowedState, id: number): FollowedState {
  const user = state.realm_users?.find((known) => known.user_id === id);
  const listed = change(state, "realm_non_active_users", (users) =>
    user ? byId([...except(users, id), user]) : users,
  );
  const moved = change(listed, "realm_users", (users) => except(users, id));
  const ungrouped = change(moved, "realm_user_groups", (groups) =>
    groups.map((group) => ({ ...group, members: without(group.members, [id]) })),
  );
  const leave = <T extends { subscribers?: number[] | undefined }>(channels: T[]): T[] =>
    channels.map((channel) =>
      channel.subscribers ? { ...channel, subscribers: without(channel.subscribers, [id]) } : channel,
    );
  const left = change(change(ungrouped, "subscriptions", leave), "unsubscribed", leave);
  return unlist(change(left, "never_subscribed", leave), id);
}

/** Groups and channels emit their own events for the user's return. */
function reactivate(state: FollowedState, id: number): FollowedState {
  const user = state.realm_non_active_users?.find((known) => known.user_id === id);
  const listed = change(state, "realm_users", (users) => (user ? byId([...except(users, id), user]) : users));
  return change(listed, "realm_non_active_users", (users) => except(users, id));
}
