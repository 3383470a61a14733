import type { ParamsOf } from "@skein/api/endpoint.ts";
import type * as api from "@skein/api/scheduled-messages.ts";
import type { TxContext } from "../../../context.ts";
import { ApiError } from "../../../errors.ts";
import { toUser } from "../../../events/audience.ts";
import { emit } from "../../../events/emit.ts";
import type { RequestInfo } from "../../../http/handle.ts";
import type { User } from "../../../identity/account.ts";
import { cancelJob } from "../../../jobs/job.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { isInteractive } from "../../base/clients.ts";
import { compose, type Composed } from "../send/compose.ts";
import { accessScheduledForUpdate, type ScheduledRow } from "./access.ts";
import { deliverLater, jobKey } from "./deliver.ts";
import { composeChecked, readAddress, readTime, type Address } from "./check.ts";
import { scheduledObject } from "./object.ts";

type Creation = ParamsOf<typeof api.createScheduledMessage>;
type Update = ParamsOf<typeof api.updateScheduledMessage>;

/** Returns its id. */
export async function schedule(
  tx: Tx,
  ctx: TxContext,
  user: User,
  params: Creation,
  { clientName, origin }: Pick<RequestInfo, "clientName" | "origin">,
): Promise<number> {
  const deliver_at = readTime(params.scheduled_delivery_timestamp);
  const address = readAddress(user, params);
  const message = { content: params.content, clientName, origin };
  const composed = await composeChecked(tx, ctx, user, address, message);
  const row = await insertScheduled(tx, user, params, { address, composed, deliver_at, failed: false });
  await deliverLater(tx, row);
  return row.id;
}

/** Stores a message that could not be sent: until its sender chooses another time, nobody checks whether it may be. */
export async function keepFailed(
  tx: Tx,
  ctx: TxContext,
  user: User,
  params: Omit<Creation, "scheduled_delivery_timestamp">,
  deliver_at: Date,
  { clientName, origin }: Pick<RequestInfo, "clientName" | "origin">,
): Promise<number> {
  const address = readAddress(user, params);
  const composed = await compose(ctx, tx, user, { content: params.content, clientName, origin });
  const row = await insertScheduled(tx, user, params, { address, composed, deliver_at, failed: true });
  return row.id;
}

interface NewScheduled {
  address: Address;
  composed: Composed;
  deliver_at: Date;
  failed: boolean;
}

async function insertScheduled(
  tx: Tx,
  user: User,
  { read_by_sender }: Pick<Creation, "read_by_sender">,
  { address, composed: { content, rendered, clientName }, deliver_at, failed }: NewScheduled,
): Promise<ScheduledRow> {
  const isToSelf = address.user_ids?.every((id) => id === user.id) ?? false;
  const row = await tx
    .insertInto("scheduled_messages")
    .values({
      realm_id: user.realm_id,
      sender_id: user.id,
      ...address,
      content,
      rendered_content: rendered.html,
      client_name: clientName,
      read_by_sender: read_by_sender ?? (isInteractive(clientName) && !isToSelf),
      deliver_at,
      failed,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  emit(tx, user.realm_id, toUser(user.id), {
    type: "scheduled_messages",
    op: "add",
    scheduled_messages: [scheduledObject(row)],
  });
  return row;
}

export async function updateScheduled(
  tx: Tx,
  ctx: TxContext,
  user: User,
  params: Update,
  { clientName, origin }: RequestInfo,
): Promise<void> {
  const before = await accessScheduledForUpdate(tx, user, params.scheduled_message_id);
  const { type, to, topic, scheduled_delivery_timestamp: timestamp } = params;
  if ([type, to, topic, params.content, timestamp].every((value) => value === undefined))
    throw new ApiError("Nothing to change");
  if (before.failed && timestamp === undefined) throw new ApiError("Scheduled delivery time must be in the future.");
  const deliverAt = timestamp === undefined ? before.deliver_at : readTime(timestamp);
  const address = addressAfter(user, before, params);
  const message = { content: params.content ?? before.content, clientName, origin };
  const { content, rendered } = await composeChecked(tx, ctx, user, address, message);
  const row = await tx
    .updateTable("scheduled_messages")
    .set({ ...address, content, rendered_content: rendered.html, deliver_at: deliverAt, failed: false })
    .where("id", "=", before.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await deliverLater(tx, row);
  emit(tx, user.realm_id, toUser(user.id), {
    type: "scheduled_messages",
    op: "update",
    scheduled_message: scheduledObject(row),
  });
}

function addressAfter(user: User, before: ScheduledRow, { type, to, topic }: Update): Address {
  const wasToChannel = before.channel_id !== null;
  if (type !== undefined && to === undefined)
    throw new ApiError("Recipient required when updating type of scheduled message.");
  const isToChannel = type === undefined ? wasToChannel : type === "channel" || type === "stream";
  if (isToChannel && !wasToChannel && topic === undefined)
    throw new ApiError("Topic required when updating scheduled message type to channel.");
  return readAddress(user, {
    type: isToChannel ? "channel" : "direct",
    to: to ?? before.channel_id ?? before.user_ids ?? [],
    topic: topic ?? before.topic ?? undefined,
  });
}

export async function removeScheduled(tx: Tx, user: User, id: number): Promise<void> {
  const row = await accessScheduledForUpdate(tx, user, id);
  await tx.deleteFrom("scheduled_messages").where("id", "=", row.id).execute();
  await cancelJob(tx, jobKey(row.id));
  emit(tx, user.realm_id, toUser(user.id), { type: "scheduled_messages", op: "remove", scheduled_message_id: row.id });
}
