/** Changes of who is in a group; shown at once. */
import { updateUserGroupMembers } from "@skein/api/routes/user-groups.ts";
import type { UserGroup } from "@skein/api/user-groups.ts";
import { call } from "../../api/call.ts";
import { isInGroup } from "../../store/group-rules.ts";
import { perform } from "../../store/operations.ts";
import { confirmed } from "../../store/setting-stores.ts";
import { ownId } from "../../store/state.ts";

const membersChange = (group: UserGroup, userId: number, isAdded: boolean) => ({
  change: {
    key: `group members ${group.id}`,
    event: {
      type: "user_group" as const,
      op: isAdded ? ("add_members" as const) : ("remove_members" as const),
      group_id: group.id,
      user_ids: [userId],
    },
  },
  request: () => call(updateUserGroupMembers, { user_group_id: group.id, [isAdded ? "add" : "delete"]: [userId] }),
});

/** A notice says why it failed, if it does. */
export function joinOrLeave(group: UserGroup): void {
  const { change, request } = membersChange(group, ownId.peek(), !isInGroup(group));
  perform({ ...change, request });
}

export const removeMember = (group: UserGroup, userId: number): Promise<void> => {
  const { change, request } = membersChange(group, userId, false);
  return confirmed(change, request);
};

export const addMembers = (group: UserGroup, people: number[], subgroups: number[]) =>
  call(updateUserGroupMembers, { user_group_id: group.id, add: people, add_subgroups: subgroups });

export const removeSubgroup = (group: UserGroup, subgroupId: number): Promise<void> =>
  confirmed(
    {
      key: `group members ${group.id}`,
      event: { type: "user_group", op: "remove_subgroups", group_id: group.id, direct_subgroup_ids: [subgroupId] },
    },
    () => call(updateUserGroupMembers, { user_group_id: group.id, delete_subgroups: [subgroupId] }),
  );
