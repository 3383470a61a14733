/** New channels, and people whom somebody else subscribes or unsubscribes, are recorded; one's own subscriptions are not. */
import type { Tx } from "../../../platform/db/transaction.ts";
import type { Caller } from "../../organization/audit/audited.ts";
import { byCaller, record } from "../../organization/audit/record.ts";
import { loadFields } from "../../organization/audit/subjects.ts";
import type { SubscriptionChanges } from "./actions.ts";

type Changed = SubscriptionChanges["changed"];

export async function recordSubscribing(
  tx: Tx,
  { user, request }: Caller,
  { created, changed }: SubscriptionChanges,
): Promise<void> {
  const source = byCaller(user, request);
  const [first, ...more] = created;
  const subscribers = describe(user.id, changed);
  if (first) {
    const fields = await loadFields(tx, user.realm_id, "channel", first.id);
    const after = more.length === 0 ? { ...fields } : { channels: created.map(({ id, name }) => ({ id, name })) };
    const target = { kind: "channel" as const, id: more.length === 0 ? first.id : null };
    await record(tx, user.realm_id, source, {
      action: "channel.create",
      target,
      after: { name: first.name, ...after, ...(subscribers ? { subscribers: subscribers.shown } : {}) },
    });
  } else if (subscribers)
    await record(tx, user.realm_id, source, {
      action: "channel.subscribe",
      target: { kind: "channel", id: subscribers.channel },
      after: { subscribers: subscribers.shown },
    });
}

export async function recordUnsubscribing(tx: Tx, { user, request }: Caller, changed: Changed): Promise<void> {
  const subscribers = describe(user.id, changed);
  if (!subscribers) return;
  await record(tx, user.realm_id, byCaller(user, request), {
    action: "channel.unsubscribe",
    target: { kind: "channel", id: subscribers.channel },
    before: { subscribers: subscribers.shown },
  });
}

/** The other people, as a list if it is about one channel, else by channel; undefined if there are none. */
function describe(ownId: number, changed: Changed): { channel: number | null; shown: unknown } | undefined {
  const others = changed.filter(({ user_id }) => user_id !== ownId);
  const byChannel = new Map<number, number[]>();
  for (const { user_id, channel_id } of others)
    byChannel.set(channel_id, [...(byChannel.get(channel_id) ?? []), user_id]);
  const [one, ...more] = byChannel;
  if (!one) return undefined;
  if (more.length === 0) return { channel: one[0], shown: one[1] };
  return { channel: null, shown: Object.fromEntries(byChannel) };
}
