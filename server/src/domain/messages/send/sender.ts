/** The groups of messages in flight: per organization, one for channel messages and one for direct messages. */
import { CompiledQuery } from "kysely";
import type { Config } from "../../../config.ts";
import type { Context } from "../../../context.ts";
import type { Realm } from "../../../identity/account.ts";
import { retryOnConflict } from "../../../platform/db/conflicts.ts";
import { prepared, type Db } from "../../../platform/db/connect.ts";
import type { Tx } from "../../../platform/db/transaction.ts";
import { realmHost } from "../../organization/realm/address.ts";
import { Batches } from "./batches.ts";
import {
  groupValues,
  sendDirect,
  sendToChannels,
  sendToChannelsCallingBots,
  transactionScope,
  type OutgoingDirect,
  type OutgoingToChannel,
  type SentRow,
  type TransactionScope,
} from "./send-statements.ts";

/** The new message's id; undefined when it was not sent. */
type Sent = number | undefined;

interface RealmGroups {
  toChannels: Batches<OutgoingToChannel, Sent>;
  direct: Batches<OutgoingDirect, Sent>;
}

/** Keyed by organization, its version, and the version of its alert words. */
export type SendGroups = Map<string, RealmGroups>;

const maxRealms = 1000;

/**
 * A group belongs to one version of a realm and of its alert words, so a statement compares them once for the whole
 * group.
 */
export function groupsOf(ctx: Context, realm: Realm, alertWordVersion: number): RealmGroups {
  const byRealm = ctx.memory.sendGroups;
  const key = `${realm.id}:${realm.version}:${alertWordVersion}`;
  const known = byRealm.get(key);
  if (known) return known;
  if (byRealm.size >= maxRealms) removeIdle(byRealm);
  const observe = (size: number) => ctx.metrics.sendBatch.observe(size);
  const fresh: RealmGroups = {
    toChannels: new Batches((items) => commitToChannels(ctx.db, realm, alertWordVersion, items), observe),
    direct: new Batches((items) => commitDirect(ctx, realm, alertWordVersion, items), observe),
  };
  byRealm.set(key, fresh);
  return fresh;
}

function removeIdle(byRealm: SendGroups): void {
  for (const [key, { toChannels, direct }] of byRealm) if (toChannels.isIdle && direct.isIdle) byRealm.delete(key);
}

interface StatementOptions {
  scope: TransactionScope;
  /** Whether the sender may send to any channel. */
  isTrusted: boolean;
  /** Null if it has been verified already. */
  alertWordVersion: number | null;
}

const channelValues = (
  realm: Realm,
  items: OutgoingToChannel[],
  { scope, isTrusted, alertWordVersion }: StatementOptions,
) => [
  ...groupValues(
    realm,
    items.map((item) => ({ ...item, targetId: item.channelId, targetName: item.channelName })),
  ),
  scope,
  isTrusted,
  alertWordVersion,
];

async function commitToChannels(
  db: Db,
  realm: Realm,
  alertWordVersion: number,
  items: OutgoingToChannel[],
): Promise<Sent[]> {
  const values = channelValues(realm, items, { scope: transactionScope.none, isTrusted: false, alertWordVersion });
  return inOrder(items, await retryOnConflict(() => prepared<SentRow>(db, sendToChannels, values)));
}

/** The same inside a larger transaction, for one message; `named`: the users it mentions by name. */
export async function sendInTransaction(
  tx: Tx,
  realm: Realm,
  item: OutgoingToChannel,
  { isTrusted, changesChannel, named }: { isTrusted: boolean; changesChannel: boolean; named: readonly number[] },
): Promise<Sent> {
  const scope = changesChannel ? transactionScope.channelChange : transactionScope.transaction;
  const values = channelValues(realm, [item], { scope, isTrusted, alertWordVersion: null });
  const query =
    named.length === 0
      ? CompiledQuery.raw(sendToChannels.text, values)
      : CompiledQuery.raw(sendToChannelsCallingBots.text, [...values, named]);
  const { rows } = await tx.executeQuery<SentRow>(query);
  return rows[0]?.id;
}

async function commitDirect(
  { db, config }: Context,
  realm: Realm,
  alertWordVersion: number,
  items: OutgoingDirect[],
): Promise<Sent[]> {
  const values = groupValues(
    realm,
    items.map((item) => ({ ...item, targetId: item.conversation.id, targetName: item.conversation.key, topic: "" })),
  );
  const all = [...values, realmHost(config, realm), false, alertWordVersion];
  return inOrder(items, await retryOnConflict(() => prepared<SentRow>(db, sendDirect, all)));
}

/** The same inside a transaction; this request has already checked that the sender may write to these people. */
export async function sendDirectInTransaction(
  tx: Tx,
  config: Config,
  realm: Realm,
  item: OutgoingDirect,
): Promise<Sent> {
  const values = groupValues(realm, [
    { ...item, targetId: item.conversation.id, targetName: item.conversation.key, topic: "" },
  ]);
  const { rows } = await tx.executeQuery<SentRow>(
    CompiledQuery.raw(sendDirect.text, [...values, realmHost(config, realm), true, null]),
  );
  return rows[0]?.id;
}

function inOrder(items: unknown[], rows: SentRow[]): Sent[] {
  const ids: Sent[] = items.map(() => undefined);
  for (const { n, id } of rows) ids[n - 1] = id;
  return ids;
}
