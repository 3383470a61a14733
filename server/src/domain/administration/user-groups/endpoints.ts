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

export const userGroupEndpoints: BoundEndpoint[] = [
  handle(api.getUserGroups, async ({ ctx, user, params }) => {
    refuseGuestsAndBots(user);
    const includeDeactivated = params.include_deactivated_groups;
    return { user_groups: await listUserGroups(ctx.db, user.realm, { includeDeactivated }) };
  }),

  handle(api.createUserGroup, async ({ ctx, user, params }) => {
    const { name, description, members, subgroups = [], ...permissions } = params;
    const group_id = await transaction(ctx.db, "create user group", (tx) =>
      createGroup(tx, user, { name, description, members, subgroups, permissions }),
    );
    return { group_id };
  }),

  handle(api.updateUserGroup, async ({ ctx, user, params }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, name, description, deactivated, ...permissions } = params;
    await revoke(ctx, "update user group", (tx) =>
      updateGroup(tx, user, user_group_id, { name, description, deactivated, permissions }),
    );
    return {};
  }),

  handle(api.deactivateUserGroup, async ({ ctx, user, params }) => {
    await revoke(ctx, "deactivate user group", (tx) => deactivateGroup(tx, user, params.user_group_id));
    return {};
  }),

  handle(api.updateUserGroupMembers, async ({ ctx, user, params }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, ...change } = params;
    if (Object.values(change).every((ids) => ids.length === 0))
      throw new ApiError(
        'Nothing to do. Specify at least one of "add", "delete", "add_subgroups" or "delete_subgroups".',
      );
    await revoke(ctx, "update user group members", (tx) => updateMembership(tx, user, user_group_id, change));
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

  handle(api.updateUserGroupSubgroups, async ({ ctx, user, params }) => {
    refuseGuestsAndBots(user);
    const { user_group_id, add: add_subgroups, delete: delete_subgroups } = params;
    if (add_subgroups.length + delete_subgroups.length === 0)
      throw new ApiError('Nothing to do. Specify at least one of "add" or "delete".');
    const change = { add: [], delete: [], add_subgroups, delete_subgroups };
    await revoke(ctx, "update subgroups", (tx) => updateMembership(tx, user, user_group_id, change));
    return {};
  }),

  handle(api.getUserGroupSubgroups, async ({ ctx, user, params }) => {
    const group = await accessGroup(ctx.db, user, params.user_group_id);
    const list = params.direct_subgroup_only ? listDirectSubgroups : listSubgroups;
    return { subgroups: await list(ctx.db, group) };
  }),
];
