/**
 * Registration: reads all state that a client asks for in one consistent snapshot, and creates a queue that begins exactly
 * where that state ends. The queue skips events of transactions that the snapshot includes, by their ids, so that nothing
 * that commits meanwhile is missed or delivered twice.
 */
import { randomUUID } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import {
  maxQueueLifespanSeconds,
  requestableTypes,
  type getEvents,
  type register as registerEndpoint,
  type RegistrationState,
} from "@skein/api/registration.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { RequestInfo } from "../http/handle.ts";
import { rateLimitHit } from "../http/rate-limit.ts";
import { StaleSession } from "../identity/sessions.ts";
import type { User } from "../identity/account.ts";
import { registrationDb } from "../platform/db/connect.ts";
import { QueueFull } from "../platform/fair-limiter.ts";
import { withBotDefaults } from "./bot-defaults.ts";
import type { QueueOptions } from "./queue.ts";
import { checkQueueNarrow } from "./queue-narrow.ts";
import { removeSurplusQueues, storeQueue } from "./queue-store.ts";
import { parseSnapshot } from "./snapshot.ts";
import type { StatePart, StateRequest } from "./state-part.ts";

/** Parameters that describe a queue; a request for events without a queue accepts them as well. */
type QueueParams = Omit<ParamsOf<typeof getEvents>, "queue_id" | "last_event_id" | "dont_block">;

export interface Registration {
  queueId: string;
  firstEventId: number;
  state: RegistrationState;
}

const attemptsAtNewEpoch = 20;

/** Without this check a queue for a misspelled type would stay empty forever. */
function demandKnownTypes(types: string[]): void {
  const unknown = types.find((type) => !requestableTypes.has(type));
  if (unknown !== undefined) throw new ApiError(`Invalid event type: ${unknown}`);
}

/** Registers a queue and measures how long that takes. */
export async function registerQueue(...given: Parameters<typeof createQueue>): Promise<Registration> {
  const end = given[0].metrics.registrations.startTimer();
  try {
    const registration = await createQueue(...given);
    end({ outcome: "done" });
    return registration;
  } catch (error) {
    // The request starts over.
    if (!(error instanceof StaleSession)) end({ outcome: "failed" });
    throw error;
  }
}

async function createQueue(
  ctx: Context,
  parts: StatePart[],
  user: User,
  request: RequestInfo,
  params: QueueParams &
    Partial<Pick<ParamsOf<typeof registerEndpoint>, "fetch_event_types" | "presence_history_limit_days">>,
): Promise<Registration> {
  demandKnownTypes([...(params.event_types ?? []), ...(params.fetch_event_types ?? [])]);
  checkQueueNarrow(params.narrow);
  const options = queueOptions(ctx, user, request, await withBotDefaults(ctx.db, user, params));
  const types = params.fetch_event_types ?? params.event_types ?? undefined;
  const requestedTypes = types === undefined ? undefined : new Set<string>(types);
  const chosen = parts.filter(
    (part) => requestedTypes === undefined || part.types.every((type) => requestedTypes.has(type)),
  );
  for (let attempt = 1; ; attempt++) {
    const state = { requestedTypes, presenceHistoryDays: params.presence_history_limit_days };
    const registration = await inTurn(ctx, user, () =>
      tryToRegister(ctx, chosen, user, request, options, params.queue_lifespan_secs, state),
    );
    if (registration) {
      // After the insert, so that two concurrent registrations need not agree on which queue to remove.
      await removeSurplusQueues(ctx.db, user, ctx.config.maxQueues);
      return registration;
    }
    // A new log has just begun, and this node has not found it yet.
    if (attempt >= attemptsAtNewEpoch) throw new ApiError("The event log is not ready yet, try again", { status: 503 });
    await ctx.events.refresh();
  }
}

/**
 * A registration reads everything a user can see. So only a few run at once, on separate connections, and a client that
 * registers over and over waits behind everyone else.
 */
async function inTurn<T>(ctx: Context, user: User, work: () => Promise<T>): Promise<T> {
  try {
    return await ctx.memory.registrationLimiter.take(`user ${user.id}`, work);
  } catch (error) {
    if (error instanceof QueueFull) throw rateLimitHit(5);
    throw error;
  }
}

/** Undefined if this node does not follow the current log. */
async function tryToRegister(
  ctx: Context,
  parts: StatePart[],
  user: User,
  request: RequestInfo,
  options: QueueOptions,
  lifespanSeconds: number,
  stateOptions: Pick<StateRequest, "requestedTypes" | "presenceHistoryDays">,
): Promise<Registration | undefined> {
  const { epoch, generation, confirmedSequence, head } = ctx.events;
  if (epoch === 0) return undefined; // no log has begun yet, or this node has not found it
  return registrationDb(ctx.db)
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (db) => {
      // A database that was restored to an earlier state has confirmed less than the log says, and a promoted standby is on
      // another timeline than the relay recorded. The relay is about to compare them, and may begin a new epoch. (A relay of
      // the previous release records neither the timeline nor the LSN with the sequence.)
      const { rows } = await sql<{ snapshot: string; is_followed: boolean; current: boolean }>`
        select pg_current_snapshot()::text as snapshot, exists (
          select from event_log where epoch = ${epoch} and confirmed_sequence >= ${confirmedSequence}
            and coalesce(generation = ${generation ?? null}, true)
            and (timeline = ${currentTimeline} or confirmed_lsn_sequence is distinct from confirmed_sequence)) as is_followed, exists (
          select from users u join realms r on r.id = u.realm_id
          where u.id = ${user.id} and u.version = ${user.version} and r.version = ${user.realm.version}) as current
      `.execute(db);
      const row = rows[0];
      if (!row?.current) throw new StaleSession();
      if (!row.is_followed) return undefined;
      const state: RegistrationState = {};
      for (const part of parts)
        Object.assign(
          state,
          await part.load(db, { ctx, config: ctx.config, user, options, origin: request.origin, ...stateOptions }),
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

/** The first part of the write-ahead log's file names. A standby writes none. */
const currentTimeline = sql`case when not pg_is_in_recovery()
  then ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int end`;

function idleSeconds(ctx: Context, requested: number): number {
  if (requested <= 0) return ctx.config.queueIdleSeconds;
  return Math.min(requested, maxQueueLifespanSeconds);
}

function queueOptions(ctx: Context, user: User, request: RequestInfo, params: QueueParams): QueueOptions {
  const allPublic = params.all_public_streams ?? false;
  if (allPublic && user.role === roles.guest) throw new ApiError("User not authorized for this query");
  const capabilities = params.client_capabilities;
  return {
    event_types: params.event_types ?? null,
    apply_markdown: params.apply_markdown,
    client_gravatar: params.client_gravatar && ctx.config.gravatar,
    slim_presence: params.slim_presence,
    include_subscribers: params.include_subscribers,
    all_public_streams: allPublic,
    narrow: params.narrow,
    client_name: request.clientName,
    ...(user.credential?.kind === "api_key" ? { api_key_id: user.credential.id } : {}),
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
