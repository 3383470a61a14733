/** Changing the organization's settings: all changes of a request, or none. Each change emits its own event. */
import type { GroupSettingUpdate } from "@skein/api/group-setting.ts";
import { roles } from "@skein/api/users.ts";
import { ApiError } from "../../../errors.ts";
import { toEveryone } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { Realm, User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { updateGroupSetting } from "../../organization/permissions/group-settings.ts";
import {
  columnOf,
  groupOf,
  realmPermissionNames,
  realmPermissions,
  type RealmPermission,
} from "../../organization/permissions/realm-permissions.ts";
import { updateWaitingPeriod } from "../user-groups/full-members.ts";
import { enforceRequirement } from "../../people/second-factors/requirement.ts";
import { usersVisibleTo } from "../../people/users/guest-view.ts";
import { emitVisibilityChanges } from "../../people/users/visibility-changes.ts";
import { realmTopicsPolicy } from "../../channels/topics/policy.ts";
import { renderMarkdown } from "../../../markdown/render.ts";
import { gifRatingOf } from "../../organization/realm/providers.ts";
import { legacyPolicies } from "../../organization/realm/legacy-policies.ts";
import { noChannel, readSettings, type RealmParams, type SettingParams } from "./read-settings.ts";
import { unsupportedFeatures } from "./state.ts";

/** Only owners may change these; administrators may not. */
const ownerOnly: (keyof RealmParams)[] = [
  "authentication_methods",
  "can_create_groups",
  "can_invite_users_group",
  "can_manage_all_groups",
  "can_manage_billing_group",
  "create_multiuse_invite_group",
  "disallow_disposable_email_addresses",
  "emails_restricted_to_domains",
  "invite_required",
  "message_retention_days",
  "second_factor_required_for",
  "waiting_period_threshold",
];

type Permissions = Pick<RealmParams, RealmPermission>;

export async function updateRealm(tx: Tx, actor: User, params: RealmParams): Promise<void> {
  if (actor.role > roles.administrator) throw new ApiError("Must be an organization administrator");
  if (actor.role > roles.owner && ownerOnly.some((name) => params[name] !== undefined))
    throw new ApiError("Must be an organization owner");
  const realm = await lockRealm(tx, actor.realm_id);
  const isPermission = (name: string): name is RealmPermission => name in realmPermissions;
  const entries = Object.entries(params);
  await updateSettings(tx, actor, realm, Object.fromEntries(entries.filter(([name]) => !isPermission(name))));
  await updatePermissions(tx, realm, Object.fromEntries(entries.filter(([name]) => isPermission(name))));
}

/** Serializes changes of settings, so that the last event matches the stored value. */
export const lockRealm = (tx: Tx, id: number): Promise<Realm> =>
  tx.selectFrom("realms").selectAll().where("id", "=", id).forNoKeyUpdate().executeTakeFirstOrThrow();

async function updateSettings(tx: Tx, actor: User, realm: Realm, params: SettingParams): Promise<void> {
  const columns = await readSettings(tx, actor, params);
  const changed = Object.entries(columns).filter(
    ([name, value]) => value !== undefined && value !== realm[name as keyof Realm], // columns of the same table
  );
  if (changed.length === 0) return;
  const days = columns.waiting_period_threshold ?? realm.waiting_period_threshold;
  if (days !== realm.waiting_period_threshold) await updateWaitingPeriod(tx, realm, days);
  await tx.updateTable("realms").set(Object.fromEntries(changed)).where("id", "=", realm.id).execute();
  if (changed.some(([name]) => name === "second_factor_required_for")) await enforceRequirement(tx, actor, realm);
  for (const [name, value] of changed) emitSetting(tx, realm.id, name, value);
}

/** The protocol sends these in an `update_dict` event. */
const sentInDictionary = new Set(["allow_message_editing", "message_content_edit_limit_seconds"]);

function emitSetting(tx: Tx, realmId: number, name: string, value: unknown): void {
  // Stored for the day the feature is built; until then registration reports a constant.
  if (`realm_${name}` in unsupportedFeatures) return;
  const shown = value === null && name.endsWith("_id") ? noChannel : value;
  if (name === "description")
    emitDictionary(tx, realmId, { description: value, rendered_description: rendered(value) });
  else if (name === "giphy_rating")
    emit(tx, realmId, toEveryone, {
      type: "realm",
      op: "update",
      property: "gif_rating_policy",
      value: gifRatingOf(Number(value)),
    });
  else if (sentInDictionary.has(name)) emitDictionary(tx, realmId, { [name]: shown });
  else emit(tx, realmId, toEveryone, { type: "realm", op: "update", property: name, value: shown });
  if (name === "mandatory_topics")
    emit(tx, realmId, toEveryone, {
      type: "realm",
      op: "update",
      property: "topics_policy",
      value: realmTopicsPolicy({ mandatory_topics: value === true }),
    });
}

const rendered = (description: unknown): string => renderMarkdown(String(description)).html;

const emitDictionary = (tx: Tx, realmId: number, data: Record<string, unknown>): void =>
  emit(tx, realmId, toEveryone, { type: "realm", op: "update_dict", property: "default", data });

async function updatePermissions(tx: Tx, realm: Realm, permissions: Permissions): Promise<void> {
  for (const name of realmPermissionNames) {
    const change = permissions[name];
    if (change) await updatePermission(tx, realm, name, change);
  }
}

async function updatePermission(
  tx: Tx,
  realm: Realm,
  name: RealmPermission,
  change: GroupSettingUpdate,
): Promise<void> {
  const rule = realmPermissions[name];
  const changed = await updateGroupSetting(tx, realm.id, name, groupOf(realm, name), change, rule);
  if (!changed) return;
  const update = { [columnOf(name)]: changed.id };
  const write = async () => {
    await tx.updateTable("realms").set(update).where("id", "=", realm.id).execute();
  };
  if (name === "can_access_all_users_group") await withGuestVisibilityEvents(tx, realm.id, write);
  else await write();
  const before = await legacyPolicies(tx, realm);
  const after = await legacyPolicies(tx, { ...realm, ...update });
  emitDictionary(tx, realm.id, { [name]: changed.value, ...differingPolicies(before, after) });
}

/** Runs `write`, and emits to guests which users they can now see, or no longer see. */
async function withGuestVisibilityEvents(tx: Tx, realmId: number, write: () => Promise<void>): Promise<void> {
  const guests = await tx
    .selectFrom("users")
    .select("id")
    .where("realm_id", "=", realmId)
    .where("role", "=", roles.guest)
    .where("is_active", "=", true)
    .execute();
  const before = await usersVisibleTo(
    tx,
    realmId,
    guests.map((guest) => guest.id),
  );
  await write();
  await emitVisibilityChanges(tx, realmId, before);
}

/** The legacy policy numbers that change with a permission, without `realm_`, as they are named in events. */
function differingPolicies(before: Record<string, number>, after: Record<string, number>): Record<string, number> {
  const differing = Object.entries(after).filter(([name, value]) => before[name] !== value);
  return Object.fromEntries(differing.map(([name, value]) => [name.slice("realm_".length), value]));
}
