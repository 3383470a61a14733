/**
 * Sends that change the channel itself, and are noticed by everybody who sees it: its first message, and the first
 * after a long silence. They are rare, so they may take a transaction and a lock on the channel's row.
 */
import { sql } from "kysely";
import type { Context } from "../../context.ts";
import { emit } from "../../events/emit.ts";
import type { User } from "../../http/sessions.ts";
import type { Db } from "../../platform/db/connect.ts";
import { transaction } from "../../platform/db/transaction.ts";
import type { Channel } from "../channels/access.ts";
import { metadataAudiences } from "../channels/audience.ts";
import type { OutgoingToChannel } from "./send-statements.ts";
import { sendInTransaction } from "./sender.ts";

/** A topic is there from the first message sent to it on. */
export async function makeTopic(db: Db, channel: Channel, name: string): Promise<void> {
  await sql`
    insert into topics (realm_id, channel_id, name) values (${channel.realm_id}, ${channel.id}, ${name})
    on conflict do nothing`.execute(db);
}

/** Undefined when somebody else was faster, or the message may no longer be sent: then it is judged anew. */
export async function sendNoticed(
  ctx: Context,
  user: User,
  { id: channelId }: Channel,
  item: OutgoingToChannel,
): Promise<number | undefined> {
  return transaction(ctx.db, "send noticed message", async (tx) => {
    const before = await tx
      .selectFrom("channels")
      .selectAll()
      .where("realm_id", "=", user.realm_id)
      .where("id", "=", channelId)
      .forUpdate()
      .executeTakeFirstOrThrow();
    await tx.updateTable("channels").set({ is_recently_active: true }).where("id", "=", channelId).execute();
    const id = await sendInTransaction(tx, user.realm, item);
    if (id === undefined) return undefined;
    const audiences = (await metadataAudiences(tx, [before], id))(before);
    const tell = (property: string, value: unknown) => {
      const event = { type: "stream", op: "update", stream_id: channelId, name: before.name, property, value };
      for (const audience of audiences) emit(tx, user.realm_id, audience, event);
    };
    if (!before.is_recently_active) tell("is_recently_active", true);
    if (before.first_message_id === null) {
      await tx.updateTable("channels").set({ first_message_id: id }).where("id", "=", channelId).execute();
      tell("first_message_id", id);
    }
    return id;
  });
}
