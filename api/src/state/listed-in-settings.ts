/** Permission settings that list individual users. Deactivated users are in none of them. */
import type { GroupSettingValue } from "../group-setting.ts";
import { change, without, type FollowedState } from "./followed-state.ts";

type List = Exclude<GroupSettingValue, number>;

// No other field in the state has this name.
const isList = (value: unknown): value is List =>
  typeof value === "object" && value !== null && "direct_members" in value;

/** The object with one user removed from each of its settings. */
function withoutPerson<T extends object>(object: T, id: number): T {
  const lists = Object.entries(object).filter(
    (field): field is [string, List] => isList(field[1]) && field[1].direct_members.includes(id),
  );
  const shorter = lists.map(([name, list]) => [name, { ...list, direct_members: without(list.direct_members, [id]) }]);
  return { ...object, ...Object.fromEntries(shorter) };
}

export function unlist(state: FollowedState, id: number): FollowedState {
  const each = <T extends object>(objects: T[]): T[] => objects.map((object) => withoutPerson(object, id));
  const own = withoutPerson(state, id);
  const grouped = change(own, "realm_user_groups", each);
  const known = change(grouped, "streams", each);
  const subscribed = change(known, "subscriptions", each);
  const left = change(subscribed, "unsubscribed", each);
  return change(left, "never_subscribed", each);
}
