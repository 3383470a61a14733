import type { z } from "zod";
import type { UserGroup, userGroupEvents } from "../user-groups.ts";
import { change, insertSorted, without, type FollowedState } from "./followed-state.ts";

type UserGroupEvent = z.output<(typeof userGroupEvents)[number]>;

export const applyUserGroupEvent = (state: FollowedState, event: UserGroupEvent): FollowedState =>
  change(state, "realm_user_groups", (groups) => {
    switch (event.op) {
      case "add":
        return [...groups.filter(({ id }) => id !== event.group.id), event.group].toSorted((a, b) => a.id - b.id);
      case "remove":
        return groups.filter(({ id }) => id !== event.group_id);
      case "update":
      case "add_members":
      case "remove_members":
      case "add_subgroups":
      case "remove_subgroups":
        return groups.map((group) => (group.id === event.group_id ? changed(group, event) : group));
    }
  });

function changed(group: UserGroup, event: Exclude<UserGroupEvent, { op: "add" | "remove" }>): UserGroup {
  switch (event.op) {
    case "update":
      // Keys are absent rather than undefined on the wire, so this overwrites nothing by mistake.
      return { ...group, ...(event.data as Partial<UserGroup>) };
    case "add_members":
      return { ...group, members: insertSorted(group.members, event.user_ids) };
    case "remove_members":
      return { ...group, members: without(group.members, event.user_ids) };
    case "add_subgroups":
      return { ...group, direct_subgroup_ids: insertSorted(group.direct_subgroup_ids, event.direct_subgroup_ids) };
    case "remove_subgroups":
      return { ...group, direct_subgroup_ids: without(group.direct_subgroup_ids, event.direct_subgroup_ids) };
  }
}
