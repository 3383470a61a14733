/** A user's settings for a channel: its color, whether it is muted or pinned, and its notifications. */
import { subscriptionProperties, type SubscriptionProperty } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { User } from "../../../identity/account.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { hasContentAccess, invalidChannelId } from "../../channels/access.ts";
import { toColor } from "../../channels/subscriptions/color.ts";
import type { SubscriptionUpdated } from "../../channels/subscriptions/event-shapes.ts";
import { isNotificationName, notificationDefaults } from "../../channels/subscriptions/notifications.ts";
import type { PersonalSettings } from "../../channels/subscriptions/queries.ts";

/** A setting as it appears in a request. */
export interface SettingParameter {
  stream_id: number;
  property: string;
  value: boolean | string | null;
}

interface Setting {
  channelId: number;
  column: keyof PersonalSettings;
  value: boolean | string | null;
}

/** Changes all of them or none. If a setting occurs twice, the last value wins. */
export async function updateSubscriptionSettings(
  tx: Tx,
  user: User,
  parameters: readonly SettingParameter[],
): Promise<void> {
  const settings = parameters.map(toSetting);
  await accessSubscriptions(tx, user, [...new Set(settings.map(({ channelId }) => channelId))]);
  const byColumn = Map.groupBy(settings, ({ column }) => column);
  for (const [column, changes] of byColumn) await store(tx, user, column, changes);
  const defaults = notificationDefaults(user.settings);
  for (const { channelId: stream_id, column, value } of settings) {
    const emitUpdate = (property: string, next: unknown, more: { fallback?: boolean } = {}) => {
      const event: SubscriptionUpdated = {
        type: "subscription",
        op: "update",
        stream_id,
        property,
        value: next,
        ...more,
      };
      emit(tx, user.realm_id, toUser(user.id), event);
    };
    if (column === "is_muted") emitUpdate("in_home_view", value !== true);
    emitUpdate(column, value, isNotificationName(column) ? { fallback: defaults[column] } : {});
  }
}

const color = /^#[0-9a-f]{3,6}$/i;

function toSetting({ stream_id: channelId, property, value }: SettingParameter): Setting {
  if (!isProperty(property)) throw new ApiError(`Unknown subscription property: ${property}`);
  if (property === "color") {
    if (typeof value !== "string") throw new ApiError("color is not a string");
    if (!color.test(value)) throw new ApiError("color is not a valid hex color code");
    return { channelId, column: property, value: toColor(value) };
  }
  const mayBeNull = isNotificationName(property);
  if (typeof value !== "boolean" && !(value === null && mayBeNull)) throw new ApiError(`${property} is not a boolean`);
  return property === "in_home_view"
    ? { channelId, column: "is_muted", value: !value }
    : { channelId, column: property, value };
}

const isProperty = (name: string): name is SubscriptionProperty =>
  subscriptionProperties.some((property) => property === name);

/** Throws unless the user is subscribed to all these channels. */
async function accessSubscriptions(tx: Tx, user: User, channelIds: readonly number[]): Promise<void> {
  const { rows } = await sql<{ id: number; is_readable: boolean | null; is_subscribed: boolean | null }>`
    select wanted.id, ${hasContentAccess(user, "c", "s")} as is_readable, s.active as is_subscribed
    from unnest(${channelIds}::bigint[]) with ordinality as wanted (id, position)
      left join channels c on c.id = wanted.id and c.realm_id = ${user.realm_id}
      left join subscriptions s on s.channel_id = c.id and s.user_id = ${user.id}
    order by wanted.position`.execute(tx);
  for (const { id, is_readable, is_subscribed } of rows) {
    if (!is_readable) throw invalidChannelId();
    if (!is_subscribed) throw new ApiError(`Not subscribed to channel ID ${id}`);
  }
}

async function store(tx: Tx, user: User, column: keyof PersonalSettings, changes: readonly Setting[]): Promise<void> {
  const last = new Map(changes.map(({ channelId, value }) => [channelId, value]));
  const type = sql.raw(column === "color" ? "text[]" : "boolean[]");
  await sql`
    update subscriptions s set ${sql.ref(column)} = wanted.value
    from unnest(${[...last.keys()]}::bigint[], ${[...last.values()]}::${type}) as wanted (channel_id, value)
    where s.user_id = ${user.id} and s.channel_id = wanted.channel_id and s.active`.execute(tx);
}
