/** The groups of messages under way, one kind for each organization: channels and direct. */
import { CompiledQuery } from "kysely";
import type { Config } from "../../config.ts";
import type { Context } from "../../context.ts";
import type { Realm } from "../../http/sessions.ts";
import { againAtConflict } from "../../platform/db/conflicts.ts";
import { prepared, type Db } from "../../platform/db/connect.ts";
import type { Tx } from "../../platform/db/transaction.ts";
import { realmHost } from "../realm/address.ts";
import { Batches } from "./batches.ts";
import {
  groupValues,
  sendDirect,
  sendToChannels,
  sendToChannelsCallingBots,
  type OutgoingDirect,
  type OutgoingToChannel,
  type SentRow,
} from "./send-statements.ts";

/** The new message's id; undefined when it was not sent. */
type Sent = number | undefined;

interface RealmGroups {
  toChannels: Batches<OutgoingToChannel, Sent>;
  direct: Batches<OutgoingDirect, Sent>;
}

const groups = new WeakMap<Context, Map<string, RealmGroups>>();
const maxRealms = 1000;

/** A realm and its alert words, each in one version: a statement compares them once for its whole group. */
export function groupsOf(ctx: Context, realm: Realm, alertWordVersion: number): RealmGroups {
  const byRealm = groups.get(ctx) ?? new Map<string, RealmGroups>();
  groups.set(ctx, byRealm);
  const key = `${realm.id}:${realm.version}:${alertWordVersion}`;
  const known = byRealm.get(key);
  if (known) return known;
  if (byRealm.size >= maxRealms) forgetIdle(byRealm);
  const observe = (size: number) => ctx.metrics.sendBatch.observe(size);
  const fresh: RealmGroups = {
    toChannels: new Batches((items) => commitToChannels(ctx.db, realm, alertWordVersion, items), observe),
    direct: new Batches((items) => commitDirect(ctx, realm, alertWordVersion, items), observe),
  };
  byRealm.set(key, fresh);
  return fresh;
}

function forgetIdle(byRealm: Map<string, RealmGroups>): void {
  for (const [key, { toChannels, direct }] of byRealm) if (toChannels.isIdle && direct.isIdle) byRealm.delete(key);
}

interface Manner {
  /** A transaction around it sees to what else the message brings. */
  isAlone: boolean;
  /** The sender may send anywhere. */
  isTrusted: boolean;
  /** Null: it has been compared. */
  alertWordVersion: number | null;
}

const channelValues = (realm: Realm, items: OutgoingToChannel[], { isAlone, isTrusted, alertWordVersion }: Manner) => [
  ...groupValues(
    realm,
    items.map((item) => ({ ...item, targetId: item.channelId, targetName: item.channelName })),
  ),
  isAlone,
  isTrusted,
  alertWordVersion,
];

async function commitToChannels(
  db: Db,
  realm: Realm,
  alertWordVersion: number,
  items: OutgoingToChannel[],
): Promise<Sent[]> {
  const values = channelValues(realm, items, { isAlone: false, isTrusted: false, alertWordVersion });
  return inOrder(items, await againAtConflict(() => prepared<SentRow>(db, sendToChannels, values)));
}

/** The same inside a transaction that sees to more; for one message, with those it mentions by name. */
export async function sendInTransaction(
  tx: Tx,
  realm: Realm,
  item: OutgoingToChannel,
  isTrusted: boolean,
  named: readonly number[],
): Promise<Sent> {
  const values = channelValues(realm, [item], { isAlone: true, isTrusted, alertWordVersion: null });
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
    items.map((item) => ({ ...item, targetId: item.conversationId, targetName: undefined, topic: "" })),
  );
  const all = [...values, realmHost(config, realm), false, alertWordVersion];
  return inOrder(items, await againAtConflict(() => prepared<SentRow>(db, sendDirect, all)));
}

/** The same inside a transaction; who may write to whom has been judged, in this request, for this message. */
export async function sendDirectInTransaction(
  tx: Tx,
  config: Config,
  realm: Realm,
  item: OutgoingDirect,
): Promise<Sent> {
  const values = groupValues(realm, [{ ...item, targetId: item.conversationId, targetName: undefined, topic: "" }]);
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
