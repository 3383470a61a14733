/** What somebody makes of a channel they are in: its color, what is muted, pinned and notified of. */
import { subscriptionProperties, type SubscriptionProperty } from "@skein/api/subscriptions.ts";
import { sql } from "kysely";
import { ApiError } from "../../errors.ts";
import { toUser } from "../../events/audience.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { hasContentAccess, invalidChannelId } from "../channels/access.ts";
import { toColor } from "./color.ts";
import type { SubscriptionUpdated } from "./event-shapes.ts";
import { isNotificationName, notificationDefaults } from "./notifications.ts";
import type { PersonalSettings } from "./queries.ts";

/** As a request says it. */
export interface WantedSetting {
  stream_id: number;
  property: string;
  value: boolean | string | null;
}

interface Setting {
  channelId: number;
  column: keyof PersonalSettings;
  value: boolean | string | null;
}

/** All of them or none; of two for the same the later counts. */
export async function updateSubscriptionSettings(tx: Tx, user: User, wanted: readonly WantedSetting[]): Promise<void> {
  const settings = wanted.map(toSetting);
  await accessSubscriptions(tx, user, [...new Set(settings.map(({ channelId }) => channelId))]);
  const byColumn = Map.groupBy(settings, ({ column }) => column);
  for (const [column, changes] of byColumn) await store(tx, user, column, changes);
  const defaults = notificationDefaults(user.settings);
  for (const { channelId: stream_id, column, value } of settings) {
    const tell = (property: string, next: unknown, more: { fallback?: boolean } = {}) => {
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
    if (column === "is_muted") tell("in_home_view", value !== true);
    tell(column, value, isNotificationName(column) ? { fallback: defaults[column] } : {});
  }
}

const color = /^#[0-9a-f]{3,6}$/i;

function toSetting({ stream_id: channelId, property, value }: WantedSetting): Setting {
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

/** Locks the subscriptions to these channels, all of which the user must be in. */
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
