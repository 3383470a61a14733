import * as api from "@skein/api/user-groups.ts";
import { ApiError } from "../../../errors.ts";
import { revoke } from "../../../events/revoke.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { accessUserById } from "../../people/users/access.ts";
import { accessGroup, refuseGuestsAndBots } from "../../people/user-groups/access.ts";
import { deactivateGroup } from "./activation.ts";
import { createGroup } from "./create.ts";
import {
  isMember,
  listDirectMembers,
  listDirectSubgroups,
  listMembers,
  listSubgroups,
} from "../../people/user-groups/membership.ts";
import { updateMembership } from "./members.ts";
import { listUserGroups } from "../../people/user-groups/queries.ts";
import { updateGroup } from "./update.ts";
import type { AuditAction } from "@skein/api/audit-log.ts";
import { audited } from "../../organization/audit/audited.ts";
import type { Fields } from "../../organization/audit/subjects.ts";

const groupUpdate = (_: Fields, after: Fields) =>
  "deactivated" in after
    ? "user_group.reactivate"
    : Object.keys(after).some((name) => name.startsWith("can_"))
      ? "user_group.update_permission"
      : "user_group.update";

/** Whether members, or groups that are members, were added, removed, or both. */
export function membersUpdate(before: Fields, after: Fields): AuditAction {
  const names = ["members", "subgroups"];
  const size = (ids: unknown): ReadonlySet<unknown> => new Set(Array.isArray(ids) ? ids : []);
  const isAdded = names.some((name) => !size(after[name]).isSubsetOf(size(before[name])));
  const isRemoved = names.some((name) => !size(before[name]).isSubsetOf(size(after[name])));
  if (isAdded && isRemoved) return "user_group.update_members";
  return isAdded ? "user_group.add_members" : "user_group.remove_members";
}

export const userGroupEndpoints: BoundEndpoint[] = [
  handle(api.getUserGroups, async ({ ctx, user, params }) => {
    refuseGuestsAndBots(user);
    const includeDeactivated = params.include_deactivated_groups;
    return { user_groups: await listUserGroups(ctx.db, user.realm, { includeDeactivated }) };
  }),

  handle(api.createUserGroup, async ({ ctx, user, params, request }) => {
    const { name, description, members, subgroups = [], ...permissions } = params;
    const group_id = await transaction(ctx.db, "create user group", (tx) =>
      audited(tx, { user, request }, { kind: "user_group", id: (id) => id, action: "user_group.create" }, () =>
        createGroup(tx, user, { name, description, members, subgroups, permissions }),
      ),
    );
    return { group_id };
  }),

  handle(api.updateUserGroup, async ({ ctx, user, params, request }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, name, description, deactivated, managed_by, ...permissions } = params;
    await revoke(ctx, "update user group", (tx) =>
      audited(tx, { user, request }, { kind: "user_group", id: user_group_id, action: groupUpdate }, () =>
        updateGroup(tx, user, user_group_id, { name, description, deactivated, managed_by, permissions }),
      ),
    );
    return {};
  }),

  handle(api.deactivateUserGroup, async ({ ctx, user, params, request }) => {
    await revoke(ctx, "deactivate user group", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "user_group", id: params.user_group_id, action: "user_group.deactivate" },
        () => deactivateGroup(tx, user, params.user_group_id),
      ),
    );
    return {};
  }),

  handle(api.updateUserGroupMembers, async ({ ctx, user, params, request }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, ...change } = params;
    if (Object.values(change).every((ids) => ids.length === 0))
      throw new ApiError(
        'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
      );
    await revoke(ctx, "update user group members", (tx) =>
      audited(tx, { user, request }, { kind: "user_group", id: user_group_id, action: membersUpdate }, () =>
        updateMembership(tx, user, user_group_id, change),
      ),
    );
    return {};
  }),

  handle(api.getUserGroupMembers, async ({ ctx, user, params }) => {
    const group = await accessGroup(ctx.db, user, params.user_group_id);
    const list = params.direct_member_only ? listDirectMembers : listMembers;
    return { members: await list(ctx.db, user, group) };
  }),

  handle(api.getIsUserGroupMember, async ({ ctx, user, params }) => {
    const group = await accessGroup(ctx.db, user, params.user_group_id);
    const account = await accessUserById(ctx.db, user, params.user_id);
    const how = { direct: params.direct_member_only };
    return { is_user_group_member: await isMember(ctx.db, user, group, account.id, how) };
  }),

  handle(api.updateUserGroupSubgroups, async ({ ctx, user, params, request }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, add: add_subgroups, delete: delete_subgroups } = params;
    if (add_subgroups.length + delete_subgroups.length === 0)
      throw new ApiError('Nothing to do. Specify at least one of "add" or "delete".');
    const change = { add: [], delete: [], add_subgroups, delete_subgroups };
    await revoke(ctx, "update subgroups", (tx) =>
      audited(tx, { user, request }, { kind: "user_group", id: user_group_id, action: membersUpdate }, () =>
        updateMembership(tx, user, user_group_id, change),
      ),
    );
    return {};
  }),

  handle(api.getUserGroupSubgroups, async ({ ctx, user, params }) => {
    const group = await accessGroup(ctx.db, user, params.user_group_id);
    const list = params.direct_subgroup_only ? listDirectSubgroups : listSubgroups;
    return { subgroups: await list(ctx.db, group) };
  }),
];
