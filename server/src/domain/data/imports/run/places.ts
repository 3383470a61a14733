/**
 * Channels with their subscribers, and direct conversations. A channel that was imported before is the same one again; a
 * public one whose name exists here as a public channel is merged into it; any other whose name is taken gets another name.
 *
 * **Invariant:** nobody can read more than in the source, or here before. A private channel's messages never get into a
 * channel that others can read, and nobody gets into a channel with messages that they could not read, whatever the plan
 * says.
 *
 * The subscribers have received and read all that the import writes before it writes it, so that nothing is ever unread by
 * mistake; read-state.ts takes back what is not read.
 */
import { maxChannelDescriptionLength, maxChannelNameLength, topicsPolicies } from "@skein/api/channels.ts";
import { roles } from "@skein/api/users.ts";
import { sql, type Updateable } from "kysely";
import { ApiError } from "../../../../errors.ts";
import type { ChannelsTable } from "../../../../platform/db/schema.ts";
import type { Tx } from "../../../../platform/db/transaction.ts";
import { createChannels } from "../../../administration/channels/create.ts";
import { addSubscribers } from "../../../administration/subscriptions/add-subscribers.ts";
import type { Channel } from "../../../channels/access.ts";
import { createFolder } from "../../../channels/folders/actions.ts";
import { lockChannelsForSubscriptionChange } from "../../../channels/lock.ts";
import { channelColors } from "../../../channels/subscriptions/color.ts";
import { directKey } from "../../../messages/send/recipients.ts";
import {
  channelPermissionNames,
  channelPermissionRule,
} from "../../../organization/permissions/channel-permissions.ts";
import { truncate } from "../../../base/truncate.ts";
import type { SourceChannel, SourceDirect } from "../source.ts";
import { listSenders } from "./accounts.ts";
import { listErased } from "./erased.ts";
import { loadHolders, storeGroupValue, type KnownHolders } from "./group-values.ts";
import type { Import } from "./import-context.ts";
import { remember } from "./map.ts";
import { lineKinds } from "./order.ts";
import { withholdIds } from "./protected-history.ts";
import { remarkInto, type Report } from "./report.ts";

const batchSize = 20;

type StagedPlace = { n: number } & (
  | { is_direct: false; data: SourceChannel }
  | { is_direct: true; data: SourceDirect }
);

export async function storePlaces(run: Import, checkpoint: number): Promise<void> {
  const { db, realmId } = run;
  const people = await listSenders(db, run);
  const known = { ...(await loadHolders(db, run)), people, hasSameVisitors: await hasSameVisitors(run) };
  // Who was in a direct conversation is known to the others.
  const parties = new Map([...people, ...(await listErased(db, run))]);
  for (let done = checkpoint; ;) {
    const { rows } = await sql<StagedPlace>`
      select n, is_direct, data from import_places where realm_id = ${realmId} and n > ${done}
      order by n limit ${batchSize}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    await run.batch("import channels", last.n, async (tx, report) => {
      for (const place of rows) {
        const { id, isNew } = place.is_direct
          ? { id: await storeDirect(tx, run, place.data, parties), isNew: false }
          : await storeChannel(tx, run, place.data, known, report);
        await sql`
          update import_places set conversation_id = ${id}, is_new = ${isNew}
          where realm_id = ${realmId} and n = ${place.n}`.execute(tx);
      }
    });
    done = last.n;
    run.onProgress({ phase: "channels", done, total: 0 });
  }
}

const membersOf = (members: readonly string[], people: ReadonlyMap<string, number>): number[] =>
  [...new Set(members.flatMap((member) => people.get(member) ?? []))].toSorted((a, b) => a - b);

interface Known extends KnownHolders {
  /** Whether visitors without an account can read web-public channels here if they can in the source, and only then. */
  hasSameVisitors: boolean;
}

/** The organization's settings are stored before its channels. */
async function hasSameVisitors({ db, realmId, source }: Import): Promise<boolean> {
  const there = await source.extras?.organization?.();
  const here = await db
    .selectFrom("realms")
    .select("enable_spectator_access")
    .where("id", "=", realmId)
    .executeTakeFirstOrThrow();
  return there?.settings["enable_spectator_access"] === here.enable_spectator_access;
}

async function storeChannel(
  tx: Tx,
  run: Import,
  source: SourceChannel,
  known: Known,
  report: Report,
): Promise<{ id: number; isNew: boolean }> {
  const members = membersOf(source.members, known.people);
  const imported = await findImported(tx, run, source.id);
  // If it was opened since, here or there, what is new goes to another channel.
  const before = imported && isAsClosed(source, imported) ? imported : undefined;
  const existing = before ?? (await findTarget(tx, run, source, members));
  const channel = existing ?? (await create(tx, run, source, known, report));
  if (!before) await remember(tx, run, "channel", [[source.id, channel.id]]);
  if (!existing) report.imported.channels++;
  const boundary = await lockChannelsForSubscriptionChange(tx, [channel.id]);
  if (!channel.history_public_to_subscribers) await withholdIds(tx, run, channel.id, source.id);
  const refused = before ? await listRefused(tx, run, source.id, before, members) : [];
  if (refused.length > 0)
    remarkInto(
      report,
      `Not subscribed to ${channel.name}: ${namesOf(refused)}. They could read messages there that are not in the ` +
        "export. Add them to that channel if they may.",
    );
  const outside = new Set(refused.map(({ id }) => id));
  await subscribe(
    tx,
    run,
    boundary,
    channel,
    members.filter((id) => !outside.has(id)),
  );
  return { id: channel.id, isNew: !existing };
}

async function findImported(tx: Tx, { realmId, source }: Import, id: string): Promise<Channel | undefined> {
  return tx
    .selectFrom("channels")
    .selectAll("channels")
    .innerJoin("import_map", "import_map.id", "channels.id")
    .where("import_map.realm_id", "=", realmId)
    .where("import_map.source", "=", source.name)
    .where("import_map.kind", "=", "channel")
    .where("import_map.source_id", "=", id)
    .where("channels.realm_id", "=", realmId)
    .executeTakeFirst();
}

const findByName = (tx: Tx, { realmId }: Import, name: string): Promise<Channel | undefined> =>
  tx
    .selectFrom("channels")
    .selectAll()
    .where("realm_id", "=", realmId)
    .where((where) => where(where.fn("lower", ["name"]), "=", name.toLowerCase()))
    .executeTakeFirst();

/** The existing channel to merge it into. */
async function findTarget(
  tx: Tx,
  run: Import,
  source: SourceChannel,
  members: readonly number[],
): Promise<Channel | undefined> {
  const planned = run.plan.channels.get(source.id);
  if (planned?.action === "merge") {
    const into = planned.into ?? planned.name ?? source.name;
    const target = await findByName(tx, run, into);
    if (!target) throw new ApiError(`The plan merges ${source.name} into ${into}, which does not exist.`);
    if (!(await isAsPrivate(tx, source, members, target)))
      throw new ApiError(
        `The plan merges the private channel ${source.name} into ${target.name}, where others could read it. ` +
          "Choose another channel, or import it as a new one.",
      );
    const gaining = (await listGaining(tx, target, members)).filter(({ is_active }) => is_active);
    if (gaining.length > 0)
      throw new ApiError(
        `The plan merges ${source.name} into ${target.name}, whose messages ${namesOf(gaining)} cannot read now. Add them ` +
          "to that channel first, choose another one, or import it as a new one.",
      );
    return target;
  }
  if (planned?.action === "new" || source.isPrivate) return undefined;
  const namesake = await findByName(tx, run, toChannelName(planned?.name ?? source.name));
  if (!namesake || namesake.invite_only || namesake.is_archived || source.isArchived) return undefined;
  const gaining = await listGaining(tx, namesake, members);
  return gaining.some(({ is_active }) => is_active) ? undefined : namesake;
}

/** Members of the source who, subscribed to the channel, could read messages that they cannot read without. */
async function listGaining(
  tx: Tx,
  { id, invite_only, is_web_public, history_public_to_subscribers }: Channel,
  members: readonly number[],
): Promise<{ id: number; full_name: string; is_active: boolean }[]> {
  if (!history_public_to_subscribers || is_web_public) return [];
  const { rows } = await sql<{ id: number; full_name: string; is_active: boolean }>`
    select u.id, u.full_name, u.is_active from users u
    where u.id = any(${[...members]}::bigint[]) and (${invite_only} or u.role = ${roles.guest})
      and not exists (select from subscriptions s where s.user_id = u.id and s.channel_id = ${id})
      and exists (select from messages m where m.conversation_id = ${id})
    order by u.full_name, u.id`.execute(tx);
  return rows;
}

/**
 * Members of a channel that was imported before who are new in it, and could read messages that did not come from there: what
 * was there before it was merged, or was written since.
 */
async function listRefused(
  tx: Tx,
  { realmId, source }: Import,
  sourceId: string,
  channel: Channel,
  members: readonly number[],
): Promise<{ id: number; full_name: string }[]> {
  const gaining = (await listGaining(tx, channel, members)).filter(({ is_active }) => is_active);
  if (gaining.length === 0) return [];
  const { rows } = await sql`
    select from messages m
    where m.conversation_id = ${channel.id} and m.id not in (
      select k.id from import_messages s
        cross join lateral (values ('message', s.source_id), ('line', ${`${lineKinds.broadcast}:`} || s.source_id),
          ('line', ${`${lineKinds.thread}:`} || coalesce(s.thread_id, s.source_id)),
          ('line', ${`${lineKinds.missingRoot}:`} || coalesce(s.thread_id, s.source_id))) as known (kind, source_id)
        join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = known.kind
          and k.source_id = known.source_id
      where s.realm_id = ${realmId} and s.place_id = ${sourceId} and not s.is_direct)
    limit 1`.execute(tx);
  return rows.length > 0 ? gaining : [];
}

const maxNames = 3;

function namesOf(people: readonly { full_name: string }[]): string {
  const names = people.slice(0, maxNames).map(({ full_name }) => full_name);
  const more = people.length - names.length;
  return [...names, ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** Whether the channel shows newcomers and others no more than the source does. */
const isAsClosed = (source: SourceChannel, target: Channel): boolean =>
  (!source.isPrivate || target.invite_only) && (!source.hasProtectedHistory || !target.history_public_to_subscribers);

/** Whether everybody who can read the target could read the source. */
async function isAsPrivate(
  tx: Tx,
  source: SourceChannel,
  members: readonly number[],
  target: Channel,
): Promise<boolean> {
  if (!isAsClosed(source, target)) return false;
  if (!source.isPrivate) return true;
  if (!target.history_public_to_subscribers) return true;
  const { rows } = await sql`
    select from subscriptions where channel_id = ${target.id} and active and user_id <> all(${[...members]}::bigint[])
    limit 1`.execute(tx);
  return rows.length === 0;
}

export const toChannelName = (name: string): string => {
  const visible = name
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu, "")
    .trim();
  return truncate(visible === "" ? "channel" : visible, maxChannelNameLength, "…");
};

async function create(tx: Tx, run: Import, source: SourceChannel, known: Known, report: Report): Promise<Channel> {
  const { owner, ctx, plan } = run;
  const { people, groups } = known;
  const wanted = plan.channels.get(source.id)?.name ?? source.name;
  const creatorId = source.creatorId === undefined ? undefined : people.get(source.creatorId);
  const nobody = groups.get("role:nobody");
  const isInside = creatorId !== undefined && membersOf(source.members, people).includes(creatorId);
  const administrators = isInside ? { direct_members: [creatorId], direct_subgroups: [] } : nobody;
  for (let attempt = 1; ; attempt++) {
    const [channel] = await createChannels(
      tx,
      ctx.config,
      owner,
      [{ name: freeName(wanted, run.source.name, attempt), description: toDescription(source.description) }],
      {
        invite_only: source.isPrivate,
        is_web_public: false,
        is_default: source.isDefault && !source.isPrivate && !source.isArchived,
        history_public_to_subscribers: !(source.isPrivate && source.hasProtectedHistory),
        message_retention_days: null,
        permissions: administrators === undefined ? {} : { can_administer_channel_group: administrators },
      },
    );
    if (!channel) continue; // the name is taken
    const created =
      source.createdAt === undefined ? {} : { date_created: new Date(Math.round(source.createdAt * 1000)) };
    return tx
      .updateTable("channels")
      .set({ creator_id: creatorId ?? null, ...created, ...(await propertiesOf(tx, run, source, known, report)) })
      .where("id", "=", channel.id)
      .returningAll()
      .executeTakeFirstOrThrow();
  }
}

/** What only a source that is much like our server knows of a channel. Clients learn of it when they register anew. */
async function propertiesOf(
  tx: Tx,
  run: Import,
  { name, isPrivate, isWebPublic = false, retentionDays, topicsPolicy, folder, permissions = {} }: SourceChannel,
  known: Known,
  report: Report,
): Promise<Updateable<ChannelsTable>> {
  const groups: [string, number][] = [];
  for (const permission of channelPermissionNames) {
    const value = permissions[permission];
    const rule = channelPermissionRule(permission);
    const described = { name: permission, rule, of: `the channel ${name}` };
    if (value) groups.push([`${permission}_id`, await storeGroupValue(tx, run, described, value, known, report)]);
  }
  if (isWebPublic && !known.hasSameVisitors)
    remarkInto(
      report,
      `The channel ${name} is not open to visitors here, because the organization does not let them in.`,
    );
  return {
    ...Object.fromEntries(groups),
    ...(isWebPublic && !isPrivate && known.hasSameVisitors ? { is_web_public: true } : {}),
    ...(isRetention(retentionDays) ? { message_retention_days: retentionDays } : {}),
    ...(folder === undefined ? {} : { folder_id: await folderNamed(tx, run, folder) }),
    ...(topicsPolicies.some((policy) => policy === topicsPolicy) ? { topics_policy: topicsPolicy } : {}),
  };
}

/** The folder of this name, created if there is none. */
async function folderNamed(tx: Tx, { owner }: Import, folder: NonNullable<SourceChannel["folder"]>): Promise<number> {
  const name = toChannelName(folder.name);
  const { rows } = await sql<{ id: number }>`
    select id from channel_folders
    where realm_id = ${owner.realm_id} and lower(name) = lower(${name}) and not is_archived`.execute(tx);
  return rows[0]?.id ?? createFolder(tx, owner, { name, description: toDescription(folder.description) });
}

const maxInteger = 2 ** 31 - 1;
const isRetention = (days: number | null | undefined): days is number =>
  Number.isInteger(days) && (days === -1 || (days ?? 0) > 0) && (days ?? 0) <= maxInteger;

const toDescription = (text: string): string =>
  truncate(text.replaceAll("\n", " ").trim(), maxChannelDescriptionLength, "…");

function freeName(name: string, sourceName: string, attempt: number): string {
  const suffix = attempt === 1 ? "" : ` (${sourceName}${attempt === 2 ? "" : ` ${attempt - 1}`})`;
  const stem = truncate(toChannelName(name), maxChannelNameLength - suffix.length, "…");
  return stem + suffix;
}

/**
 * Whoever has or had a subscription here keeps it as it is. The others are subscribed; those who are inactive without
 * events.
 */
async function subscribe(
  tx: Tx,
  { realmId, ids }: Import,
  boundary: number,
  channel: Channel,
  members: readonly number[],
): Promise<void> {
  const { rows: newcomers } = await sql<{ id: number; is_active: boolean }>`
    select u.id, u.is_active from users u
    where u.id = any(${[...members]}::bigint[]) and u.realm_id = ${realmId}
      and not exists (select from subscriptions s where s.user_id = u.id and s.channel_id = ${channel.id})
    order by u.id`.execute(tx);
  const active = newcomers.filter(({ is_active }) => is_active).map(({ id }) => id);
  // An account that is reactivated one day must not find what its person never could read.
  const gaining = new Set((await listGaining(tx, channel, members)).map(({ id }) => id));
  const inactive = newcomers.filter(({ id, is_active }) => !is_active && !gaining.has(id)).map(({ id }) => id);
  await addSubscribers(tx, realmId, boundary, [channel], active);
  await sql`
    insert into subscriptions (user_id, channel_id, realm_id, received, color)
    select id, ${channel.id}, ${realmId}, int8multirange(int8range(${boundary}, null)), ${channelColors[0]}
    from unnest(${inactive}::bigint[]) as id`.execute(tx);
  const block = sql`int8multirange(int8range(${ids.first}, ${ids.end}))`;
  // Where history is protected, messages are received one by one.
  const received = channel.history_public_to_subscribers ? block : sql`'{}'::int8multirange`;
  await sql`
    update subscriptions set received = received + ${received}, read = read + ${block}
    where channel_id = ${channel.id} and active and user_id = any(${[...members]}::bigint[])`.execute(tx);
  // Where ids were used before, others may have received them, too.
  await sql`
    update subscriptions set read = read + ${block}
    where channel_id = ${channel.id} and received && ${block} and not read @> ${block}`.execute(tx);
}

/** Joins the conversation of the same people, if there is one. */
async function storeDirect(
  tx: Tx,
  { realmId, ids, owner }: Import,
  direct: SourceDirect,
  people: ReadonlyMap<string, number>,
): Promise<number | null> {
  const parties = membersOf(direct.members, people);
  if (parties.length === 0) return null;
  const { id } = await directConversationOf(tx, owner.realm_id, parties);
  await sql`
    update participations set read = read + int8multirange(int8range(${ids.first}, ${ids.end}))
    where conversation_id = ${id} and realm_id = ${realmId}`.execute(tx);
  return id;
}

async function directConversationOf(tx: Tx, realmId: number, parties: number[]): Promise<{ id: number }> {
  const key = directKey(parties);
  const { rows } = await sql<{ id: number }>`
    insert into conversations (realm_id, direct_key, is_group) values (${realmId}, ${key}, ${parties.length > 2})
    on conflict (realm_id, direct_key) where direct_key is not null do update set direct_key = excluded.direct_key
    returning id`.execute(tx);
  const [conversation] = rows;
  if (!conversation) throw new Error("unreachable: the conversation is there or created");
  await sql`
    insert into participations (user_id, conversation_id, realm_id)
    select party, ${conversation.id}, ${realmId} from unnest(${parties}::bigint[]) as party
    on conflict do nothing`.execute(tx);
  return conversation;
}
