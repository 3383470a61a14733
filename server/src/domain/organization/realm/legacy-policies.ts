/**
 * Older clients know some permissions as numbers. Each number stands for a system group; a permission with any other
 * value is reported as the narrowest of these groups that includes all its users, or as the widest.
 */
import type { Realm } from "../../../identity/account.ts";
import type { Db } from "../../../platform/db/connect.ts";
import { groupOf, type RealmPermission } from "../permissions/realm-permissions.ts";
import { systemGroups, type SystemGroupName } from "../permissions/system-groups.ts";

/** From narrow to wide. */
type Policy = readonly [SystemGroupName, number][];

const channelCreation: Policy = [
  ["role:administrators", 2],
  ["role:moderators", 4],
  ["role:fullmembers", 3],
  ["role:members", 1],
];
const webPublicChannelCreation: Policy = [
  ["role:nobody", 6],
  ["role:owners", 7],
  ["role:administrators", 2],
  ["role:moderators", 4],
];
const wildcardMention: Policy = [
  ["role:nobody", 6],
  ["role:administrators", 5],
  ["role:moderators", 7],
  ["role:fullmembers", 3],
  ["role:members", 2],
  ["role:everyone", 1],
];

export async function legacyPolicies(db: Db, realm: Realm) {
  const groups = await db
    .selectFrom("user_groups")
    .select(["id", "max_rank"])
    .where("realm_id", "=", realm.id)
    .where("is_system", "=", true)
    .execute();
  const number = (permission: RealmPermission, policy: Policy): number => {
    const rank = groups.find(({ id }) => id === groupOf(realm, permission))?.max_rank ?? Infinity;
    const [, value] = policy.find(([name]) => rank <= systemGroups[name].max_rank) ?? policy.at(-1) ?? [];
    return value ?? 0;
  };
  return {
    realm_create_private_stream_policy: number("can_create_private_channel_group", channelCreation),
    realm_create_public_stream_policy: number("can_create_public_channel_group", channelCreation),
    realm_create_web_public_stream_policy: number("can_create_web_public_channel_group", webPublicChannelCreation),
    realm_wildcard_mention_policy: number("can_mention_many_users_group", wildcardMention),
  };
}
