/**
 * Messages that are still to be sent. What failed, is due already, or may not be sent here, is kept as a message that could
 * not be sent: its sender can choose another time.
 */
import { maxMessageLength } from "@skein/api/messages.ts";
import { sql } from "kysely";
import { ApiError } from "../../../../../errors.ts";
import type { User } from "../../../../../identity/account.ts";
import type { Tx } from "../../../../../platform/db/transaction.ts";
import { truncate } from "../../../../base/truncate.ts";
import { keepFailed, schedule } from "../../../../messages/scheduled-messages/actions.ts";
import { realmUrlWithoutRequest } from "../../../../organization/realm/address.ts";
import type { SourceExtras, SourceScheduledMessage } from "../../source.ts";
import { findAccount } from "../accounts.ts";
import type { Import } from "../import-context.ts";
import { recall } from "../map.ts";
import { findReferredIn, loadKnownIds, type KnownIds } from "../references.ts";
import { remarkInto, type Report } from "../report.ts";
import { toMarkdown } from "../texts.ts";
import { storeOne } from "./store-one.ts";

export async function storeScheduledMessages(run: Import, extras: SourceExtras, checkpoint: number): Promise<void> {
  const done = await recall(run.db, run, "scheduled");
  const known = await loadKnownIds(run);
  for await (const message of extras.scheduledMessages()) {
    const sender = done.has(message.id) ? undefined : await findAccount(run, known.people.get(message.senderId));
    if (!sender) continue;
    const what = `a scheduled message of ${sender.full_name}`;
    const to = await addressOf(run, known, message);
    if (!to) continue;
    const referred = await findReferredIn(run, known, [message.text]);
    const place = { senderId: sender.id, conversationId: typeof to.to === "number" ? to.to : 0 };
    const content = toMarkdown(message.text, referred, place, () => undefined);
    await storeOne(run, { kind: "scheduled", key: message.id, what, checkpoint }, (tx, report) =>
      storeScheduled(tx, run, sender, { to, content, message }, report),
    );
  }
}

type Address = { type: "channel"; to: number; topic: string } | { type: "direct"; to: number[] };

/** Undefined if its channel or conversation is not imported. */
async function addressOf(
  { db }: Import,
  { channels, directs }: KnownIds,
  { channelId, directId, topic = "" }: SourceScheduledMessage,
): Promise<Address | undefined> {
  const channel = channelId === undefined ? undefined : channels.get(channelId);
  if (channel !== undefined) return { type: "channel", to: channel, topic };
  const direct = directId === undefined ? undefined : directs.get(directId);
  if (direct === undefined) return undefined;
  const { rows } = await sql<{ user_id: number }>`
    select user_id from participations where conversation_id = ${direct} order by user_id`.execute(db);
  return { type: "direct", to: rows.map((row) => row.user_id) };
}

interface Given {
  to: Address;
  content: string;
  message: SourceScheduledMessage;
}

async function storeScheduled(
  tx: Tx,
  { ctx, source }: Import,
  sender: User,
  { to, content, message: { at, hasFailed } }: Given,
  report: Report,
): Promise<number> {
  const params = {
    ...to,
    content: truncate(content, maxMessageLength, "…"),
    scheduled_delivery_timestamp: Math.floor(at / 1_000_000),
    read_by_sender: true,
  };
  const by = { clientName: `${source.name} import`, origin: realmUrlWithoutRequest(ctx.config, sender.realm) };
  const deliverAt = new Date(Math.floor(at / 1000));
  if (hasFailed || !sender.is_active) return keepFailed(tx, ctx, sender, params, deliverAt, by);
  try {
    return await schedule(tx, ctx, sender, params, by);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const id = await keepFailed(tx, ctx, sender, params, deliverAt, by);
    remarkInto(report, `A scheduled message of ${sender.full_name} is kept, and will not be sent. ${error.message}`);
    return id;
  }
}
