/**
 * Registration: reads all state that a client asks for in one consistent snapshot, and creates a queue that begins exactly
 * where that state ends. Registrations of one organization that wait at the same time share the snapshot, and what is the same
 * for all of them. The queue skips events of transactions that the snapshot includes, by their ids, so that nothing
 * that commits meanwhile is missed or delivered twice.
 */
import { randomUUID } from "node:crypto";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import {
  maxQueueLifespanSeconds,
  mobileQueueLifespanSeconds,
  requestableTypes,
  type getEvents,
  type register as registerEndpoint,
} from "@skein/api/registration.ts";
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { Context } from "../context.ts";
import { ApiError } from "../errors.ts";
import type { RequestInfo } from "../http/handle.ts";
import { StaleSession } from "../identity/sessions.ts";
import type { User } from "../identity/account.ts";
import { registrationDb, type Db } from "../platform/db/connect.ts";
import { inSnapshot } from "../platform/db/snapshot-reads.ts";
import { isDatabaseOutage } from "../platform/db/outage.ts";
import type { TextPiece } from "../platform/shared-text.ts";
import { withBotDefaults } from "./bot-defaults.ts";
import type { QueueOptions } from "./queue.ts";
import { checkQueueNarrow } from "./queue-narrow.ts";
import { removeSurplusQueues, storeQueues, type QueueRecord } from "./queue-store.ts";
import type { Turn } from "./registration-desk.ts";
import { parseSnapshot } from "./snapshot.ts";
import { Moment, type StatePart, type StateRequest } from "./state-part.ts";

/** Parameters that describe a queue; a request for events without a queue accepts them as well. */
type QueueParams = Omit<ParamsOf<typeof getEvents>, "queue_id" | "last_event_id" | "dont_block">;

export interface Registration {
  queueId: string;
  firstEventId: number;
  idleSeconds: number;
  /** The state as JSON text, each part without its braces. */
  state: TextPiece[][];
}

/** A registration that waits for its turn, or has it. */
export interface Member {
  user: User;
  parts: StatePart[];
  options: QueueOptions;
  lifespanSeconds: number;
  request: Omit<StateRequest, "moment" | "ownTables">;
  /** Undefined if this node does not follow the current log. */
  settle: (registration: Registration | undefined) => void;
  fail: (error: unknown) => void;
}

/** One turn serves as many members, and begins with no further one after this time: the first waits for the last. */
const maxMembers = 200;
const maxTurnMilliseconds = 2000;

/** Members of a turn whose state is read at the same time: their statements go to PostgreSQL together. */
const maxAtOnce = 8;

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
    Partial<
      Pick<
        ParamsOf<typeof registerEndpoint>,
        "fetch_event_types" | "idle_queue_timeout" | "presence_history_limit_days"
      >
    >,
): Promise<Registration> {
  demandKnownTypes([...(params.event_types ?? []), ...(params.fetch_event_types ?? [])]);
  checkQueueNarrow(params.narrow);
  const options = queueOptions(ctx, user, request, await withBotDefaults(ctx.db, user, params));
  const types = params.fetch_event_types ?? params.event_types ?? undefined;
  const requestedTypes = types === undefined ? undefined : new Set<string>(types);
  const chosen = parts.filter(
    (part) => requestedTypes === undefined || part.types.every((type) => requestedTypes.has(type)),
  );
  const stateRequest = {
    ctx,
    config: ctx.config,
    user,
    options,
    origin: request.origin,
    requestedTypes,
    presenceHistoryDays: params.presence_history_limit_days,
  };
  const { idle_queue_timeout: timeout = params.queue_lifespan_secs } = params;
  const lifespanSeconds = idleSeconds(ctx, timeout === "mobile" ? mobileQueueLifespanSeconds : timeout);
  for (let attempt = 1; ; attempt++) {
    const registration = await inTurn(ctx, request, {
      user,
      parts: chosen,
      options,
      lifespanSeconds,
      request: stateRequest,
    });
    if (registration) return registration;
    // A new log has just begun, and this node has not found it yet.
    if (attempt >= attemptsAtNewEpoch) throw new ApiError("The event log is not ready yet, try again", { status: 503 });
    await ctx.events.refresh();
  }
}

/**
 * A registration reads everything a user can see. So only a few turns run at once, on separate connections, and a client that
 * registers over and over waits behind everyone else. Those of one organization who wait at the same time share a turn.
 */
async function inTurn(
  ctx: Context,
  { onClose }: RequestInfo,
  given: Omit<Member, "settle" | "fail">,
): Promise<Registration | undefined> {
  const { promise, resolve: settle, reject: fail } = Promise.withResolvers<Registration | undefined>();
  promise.catch(() => undefined); // it is awaited below, which it may precede
  const member: Member = { ...given, settle, fail };
  const { id, realm_id } = member.user;
  const turn = await ctx.memory.registrationDesk.admit({ member, owner: `user ${id}`, group: realm_id }, onClose);
  if (turn) {
    try {
      await serveTogether(ctx, member, turn);
    } finally {
      turn.end();
    }
  }
  return promise;
}

/**
 * Registers a member, and those who wait with it. A statement that fails ends the transaction: its member fails, and the others start
 * over, unless PostgreSQL is unavailable.
 */
async function serveTogether(ctx: Context, first: Member, turn: Turn<Member>): Promise<void> {
  const deadline = performance.now() + maxTurnMilliseconds;
  let waiting = [first];
  while (waiting.length > 0) {
    const begun: Member[] = [];
    const more = (): Member | undefined => {
      const isOver = begun.length >= maxMembers || performance.now() > deadline;
      const member = waiting.shift() ?? (isOver ? undefined : turn.next());
      if (member) begun.push(member);
      return member;
    };
    try {
      await registerAll(ctx, more);
    } catch (caught) {
      const { member, error } = caught instanceof BrokenSnapshot ? caught : { member: begun.at(-1), error: caught };
      const all = [...begun, ...waiting];
      const failed = new Set(isUnavailable(error) ? all : [member]);
      for (const one of failed) one?.fail(error);
      waiting = all.filter((one) => !failed.has(one));
    }
  }
}

/** A canceled statement says nothing about the next one. */
const isUnavailable = (error: unknown): boolean =>
  isDatabaseOutage(error) && !["57014", "55P03"].includes(String((error as { code?: unknown }).code)); // of any error

/** Registers members as long as there are more, all at the same snapshot. Throws if none of them is registered. */
async function registerAll(ctx: Context, more: () => Member | undefined): Promise<void> {
  const first = more();
  if (!first) return;
  const { epoch, generation, confirmedSequence, head } = ctx.events;
  if (epoch === 0) {
    first.settle(undefined); // no log has begun yet, or this node has not found it
    return;
  }
  const settled: (() => void)[] = [];
  const stored: QueueRecord[] = [];
  await inSnapshot(ctx.db, async (db) => {
    // A database that was restored to an earlier state has confirmed less than the log says, and a promoted standby is on
    // another timeline than the relay recorded. The relay is about to compare them, and may begin a new epoch. (A relay of
    // the previous release records neither the timeline nor the LSN with the sequence.)
    const { rows } = await sql<{ snapshot: string; is_followed: boolean }>`
        select pg_current_snapshot()::text as snapshot, exists (
          select from event_log where epoch = ${epoch} and confirmed_sequence >= ${confirmedSequence}
            and coalesce(generation = ${generation ?? null}, true)
            and (timeline = ${currentTimeline} or confirmed_lsn_sequence is distinct from confirmed_sequence)) as is_followed
      `.execute(db);
    const [row] = rows;
    if (!row) throw new Error("the statement returns one row");
    const moment = new Moment(epoch);
    const firstEventId = ctx.events.firstEventId(head, parseSnapshot(row.snapshot));
    const registerOne = async (member: Member): Promise<void> => {
      const ownTables = await findOwnTables(db, member);
      if (!row.is_followed) {
        settled.push(() => member.settle(undefined));
        return;
      }
      const state = await loadState(db, member, moment, ownTables);
      const record = { ...queueOf(member), epoch, first_event_id: firstEventId, snapshot: row.snapshot };
      stored.push(record);
      settled.push(() => member.settle({ queueId: record.id, firstEventId, idleSeconds: record.idle_seconds, state }));
    };
    for (let group = [first]; group.length > 0; group = take(maxAtOnce, more)) {
      const outcomes = await Promise.allSettled(group.map(registerOne));
      const errors = outcomes.map((outcome): unknown => (outcome.status === "rejected" ? outcome.reason : undefined));
      // The others' statements fail because the transaction has failed.
      const broken = errors.findIndex((error) => isOfDatabase(error) && !isOfFailedTransaction(error));
      const at = broken >= 0 ? broken : errors.findIndex(isOfDatabase);
      if (at >= 0) throw new BrokenSnapshot(group[at], errors[at]);
      for (const [index, error] of errors.entries()) if (error) settled.push(() => group[index]?.fail(error));
    }
    if (stored.length > 0) await storeQueues(db, first.user.realm_id, stored);
  });
  const owners = stored.map(({ user_id }) => user_id);
  // After the insert, so that two concurrent registrations need not agree on which queue to remove.
  await removeSurplusQueues(registrationDb(ctx.db), first.user.realm_id, owners, ctx.config.maxQueues);
  for (const settle of settled) settle();
}

/** Throws if the cached account and organization are not those of the snapshot. */
async function findOwnTables(db: Db, { user, parts }: Member): Promise<ReadonlySet<string>> {
  const ofParts = new Map(parts.flatMap(({ ownRows }) => (ownRows ? [[ownRows.table, ownRows.owner] as const] : [])));
  const own = [...ofParts].map(
    ([table, owner]) => sql`select ${sql.lit(table)} where exists (
      select from ${sql.table(table)} where ${sql.ref(owner)} = ${sql.ref("u.id")})`,
  );
  const { rows } = await sql<{ own: string[] }>`
    select array(${own.length > 0 ? sql.join(own, sql` union all `) : sql`select '' where false`}) as own
    from users u join realms r on r.id = u.realm_id
    where u.id = ${user.id} and u.version = ${user.version} and r.version = ${user.realm.version}`.execute(db);
  if (!rows[0]) throw new StaleSession();
  return new Set(rows[0].own);
}

const loadState = (
  db: Db,
  { parts, request }: Member,
  moment: Moment,
  ownTables: ReadonlySet<string>,
): Promise<TextPiece[][]> => Promise.all(parts.map((part) => moment.load(part, db, { ...request, moment, ownTables })));

const queueOf = ({ user, options, lifespanSeconds }: Member) => ({
  id: randomUUID(),
  user_id: user.id,
  options,
  idle_seconds: lifespanSeconds,
});

/** Up to so many, as long as there are more. */
function take(count: number, more: () => Member | undefined): Member[] {
  const taken: Member[] = [];
  for (let member = more(); member; member = taken.length < count ? more() : undefined) taken.push(member);
  return taken;
}

/** The state of this member could not be read, so nobody's can be read in this transaction any more. */
class BrokenSnapshot extends Error {
  override name = "BrokenSnapshot";
  readonly member: Member | undefined;
  readonly error: unknown;

  constructor(member: Member | undefined, error: unknown) {
    super("a statement failed", { cause: error });
    this.member = member;
    this.error = error;
  }
}

const isOfFailedTransaction = (error: unknown): boolean => (error as { code?: unknown } | undefined)?.code === "25P02"; // of any error

/** After such an error the transaction cannot go on. */
const isOfDatabase = (error: unknown): boolean =>
  error !== undefined && !(error instanceof ApiError) && !(error instanceof StaleSession);

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
    simplified_presence_events: capabilities?.simplified_presence_events ?? false,
  };
}
