/** The user's own permissions. They follow from settings, groups and the role, and have no events of their own. */
import type { GroupSettingValue } from "../group-setting.ts";
import type { FollowedState } from "./followed-state.ts";

/** Recomputes them after a change. Without groups and settings they cannot be computed. */
export function followOwnPermissions(state: FollowedState): FollowedState {
  const isRequested = state.can_create_streams !== undefined && state.realm_can_invite_users_group !== undefined;
  if (!isRequested || !state.realm_user_groups) return state;
  const holds = (value: GroupSettingValue | undefined) =>
    value !== undefined && state.is_guest === false && isIn(state, value);
  const creates = {
    can_create_private_streams: holds(state.realm_can_create_private_channel_group),
    can_create_public_streams: holds(state.realm_can_create_public_channel_group),
    can_create_web_public_streams:
      state.server_web_public_streams_enabled === true &&
      state.realm_enable_spectator_access === true &&
      holds(state.realm_can_create_web_public_channel_group),
  };
  return {
    ...state,
    ...creates,
    can_create_streams: Object.values(creates).some(Boolean),
    can_invite_others_to_realm: holds(state.realm_can_invite_users_group),
  };
}

/** Whether the setting includes the user, directly or as a member of a group or subgroup. */
export function isIn(state: Pick<FollowedState, "user_id" | "realm_user_groups">, value: GroupSettingValue): boolean {
  if (typeof value !== "number")
    return value.direct_members.includes(state.user_id) || value.direct_subgroups.some((id) => isIn(state, id));
  const group = state.realm_user_groups?.find(({ id }) => id === value);
  if (!group) return false;
  return group.members.includes(state.user_id) || group.direct_subgroup_ids.some((id) => isIn(state, id));
}
