/**
 * Registration: all state a client asks for, read in one transaction that sees one state of everything, and a queue
 * that begins exactly where that state ends. The queue skips the events of transactions the state already shows, by
 * their ids, so nothing that commits meanwhile is missed or told twice.
 */
import { randomUUID } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import {
  maxQueueLifespanSeconds,
  type getEvents,
  type register as registerEndpoint,
  type RegistrationState,
} from "@skein/api/registration.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { RequestInfo } from "../http/handle.ts";
import { StaleSession, type User } from "../http/sessions.ts";
import { withBotDefaults } from "./bot-defaults.ts";
import type { QueueOptions } from "./queue.ts";
import { checkQueueNarrow } from "./queue-narrow.ts";
import { storeQueue } from "./queue-store.ts";
import { parseSnapshot } from "./snapshot.ts";
import type { StatePart, StateRequest } from "./state-part.ts";

/** Parameters that describe a queue; reading events without a queue takes them too. */
type QueueParams = Omit<ParamsOf<typeof getEvents>, "queue_id" | "last_event_id" | "dont_block">;

export interface Registration {
  queueId: string;
  firstEventId: number;
  state: RegistrationState;
}

const attemptsAtNewEpoch = 20;

export async function registerQueue(
  ctx: Context,
  parts: StatePart[],
  user: User,
  request: RequestInfo,
  params: QueueParams &
    Partial<Pick<ParamsOf<typeof registerEndpoint>, "fetch_event_types" | "presence_history_limit_days">>,
): Promise<Registration> {
  checkQueueNarrow(params.narrow);
  const options = queueOptions(user, request, await withBotDefaults(ctx.db, user, params));
  const wanted = params.fetch_event_types ?? params.event_types ?? undefined;
  const asked = wanted === undefined ? undefined : new Set<string>(wanted);
  const chosen = parts.filter((part) => asked === undefined || part.types.every((type) => asked.has(type)));
  for (let attempt = 1; ; attempt++) {
    const state = { asked, presenceHistoryDays: params.presence_history_limit_days };
    const registration = await tryToRegister(ctx, chosen, user, request, options, params.queue_lifespan_secs, state);
    if (registration) return registration;
    // A new log has just begun, and this node has yet to find it.
    if (attempt >= attemptsAtNewEpoch) throw new ApiError("The event log is not ready yet, try again", { status: 503 });
    await ctx.events.refresh();
  }
}

/** Undefined when this node does not follow the current log. */
async function tryToRegister(
  ctx: Context,
  parts: StatePart[],
  user: User,
  request: RequestInfo,
  options: QueueOptions,
  lifespanSeconds: number,
  wanted: Pick<StateRequest, "asked" | "presenceHistoryDays">,
): Promise<Registration | undefined> {
  const { epoch, head } = ctx.events;
  return ctx.db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (db) => {
      const { rows } = await sql<{ snapshot: string; epoch: number; current: boolean }>`
        select pg_current_snapshot()::text as snapshot, (select epoch from event_log) as epoch, exists (
          select from users u join realms r on r.id = u.realm_id
          where u.id = ${user.id} and u.version = ${user.version} and r.version = ${user.realm.version}) as current
      `.execute(db);
      const row = rows[0];
      if (!row?.current) throw new StaleSession();
      if (row.epoch !== epoch) return undefined;
      const state: RegistrationState = {};
      for (const part of parts)
        Object.assign(
          state,
          await part.load(db, { ctx, config: ctx.config, user, options, origin: request.origin, ...wanted }),
        );
      const queueId = randomUUID();
      const firstEventId = ctx.events.firstEventId(head, parseSnapshot(row.snapshot));
      await storeQueue(db, user.realm_id, {
        id: queueId,
        user_id: user.id,
        epoch,
        first_event_id: firstEventId,
        snapshot: row.snapshot,
        options,
        idle_seconds: idleSeconds(ctx, lifespanSeconds),
      });
      return { queueId, firstEventId, state };
    });
}

function idleSeconds(ctx: Context, asked: number): number {
  if (asked <= 0) return ctx.config.queueIdleSeconds;
  return Math.min(asked, maxQueueLifespanSeconds);
}

function queueOptions(user: User, request: RequestInfo, params: QueueParams): QueueOptions {
  const allPublic = params.all_public_streams ?? false;
  if (allPublic && user.role === roles.guest) throw new ApiError("User not authorized for this query");
  const capabilities = params.client_capabilities;
  return {
    event_types: params.event_types ?? null,
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar,
    slim_presence: params.slim_presence,
    include_subscribers: params.include_subscribers,
    all_public_streams: allPublic,
    narrow: params.narrow,
    client_name: request.clientName,
    notification_settings_null: capabilities?.notification_settings_null ?? false,
    bulk_message_deletion: capabilities?.bulk_message_deletion ?? false,
    stream_typing_notifications: capabilities?.stream_typing_notifications ?? false,
    user_settings_object: capabilities?.user_settings_object ?? false,
    user_list_incomplete: capabilities?.user_list_incomplete ?? false,
    user_avatar_url_field_optional: capabilities?.user_avatar_url_field_optional ?? false,
    include_deactivated_groups: capabilities?.include_deactivated_groups ?? false,
    archived_channels: capabilities?.archived_channels ?? false,
    empty_topic_name: capabilities?.empty_topic_name ?? false,
    linkifier_url_template: capabilities?.linkifier_url_template ?? false,
  };
}
