/** Looks up what the texts of a batch refer to, in one query for each kind. */
import { roles } from "@skein/api/users.ts";
import { sql } from "kysely";
import type { MentionableUser } from "../../../../markdown/context.ts";
import { textArray } from "../../../../platform/db/binary-array.ts";
import type { SourceReference, SourceText } from "../source.ts";
import { listSenders } from "./accounts.ts";
import { listErased } from "./erased.ts";
import type { Import } from "./import-context.ts";
import type { Line } from "./lines.ts";
import { lineKinds } from "./order.ts";
import type { LinkTarget, Referred, StoredUpload } from "./texts.ts";

/** Our ids by those of the source. */
export interface KnownIds {
  people: ReadonlyMap<string, number>;
  /** Only texts may still refer to them. */
  erased: ReadonlyMap<string, number>;
  channels: ReadonlyMap<string, number>;
  directs: ReadonlyMap<string, number>;
}

export async function loadKnownIds(run: Import): Promise<KnownIds> {
  const { db, realmId } = run;
  const places = await db
    .selectFrom("import_places")
    .select(["source_id", "is_direct", "conversation_id"])
    .where("realm_id", "=", realmId)
    .execute();
  const idsOf = (isDirect: boolean) =>
    new Map(
      places.flatMap((place): [string, number][] =>
        place.is_direct === isDirect && place.conversation_id !== null
          ? [[place.source_id, place.conversation_id]]
          : [],
      ),
    );
  const [people, erased] = [await listSenders(db, run), await listErased(db, run)];
  return { people, erased, channels: idsOf(false), directs: idsOf(true) };
}

/** All texts of a line: that of its message, and earlier ones. */
export const textsOf = ({ message }: Line): SourceText[] =>
  message
    ? [message.text, ...(message.edits ?? []).flatMap(({ previousText }) => (previousText ? [previousText] : []))]
    : [];

export function findReferred(run: Import, known: KnownIds, lines: readonly Line[]): Promise<Referred> {
  return findReferredIn(run, known, lines.flatMap(textsOf), {
    people: lines.flatMap((line) => (line.kind === lineKinds.broadcast ? (line.sender_id ?? []) : [])),
    channels: lines.flatMap((line) => (line.thread_topic === null ? [] : line.place_id)),
  });
}

export async function findReferredIn(
  run: Import,
  known: KnownIds,
  texts: readonly SourceText[],
  more: { people: readonly string[]; channels: readonly string[] } = { people: [], channels: [] },
): Promise<Referred> {
  const references = texts.flatMap((text) =>
    text.filter((piece): piece is SourceReference => typeof piece !== "string"),
  );
  const idsOf = (...kinds: ("person" | "channel" | "channelNumber" | "message")[]) =>
    references.flatMap((reference) =>
      reference.kind !== "file" && kinds.includes(reference.kind) ? [reference.id] : [],
    );
  const entries = references.flatMap((reference) => (reference.kind === "file" ? (reference.file.entry ?? []) : []));
  const personIds = new Set([...idsOf("person"), ...more.people]);
  const channelIds = new Set([...idsOf("channel", "channelNumber"), ...more.channels]);
  const [people, channels, messages, files] = await Promise.all([
    findPeople(run, known, personIds),
    findChannels(run, known, channelIds),
    findMessages(run, new Set(idsOf("message"))),
    findUploads(run, entries),
  ]);
  return { people, channels, messages, files };
}

/** The rows for source ids, by source id. */
function bySourceId<T extends { id: number }>(
  wanted: Iterable<string>,
  ids: ReadonlyMap<string, number>,
  rows: readonly T[],
): Map<string, T> {
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    [...wanted].flatMap((sourceId): [string, T][] => {
      const row = found.get(ids.get(sourceId) ?? 0);
      return row ? [[sourceId, row]] : [];
    }),
  );
}

const ourIds = (wanted: Iterable<string>, ids: ReadonlyMap<string, number>): number[] =>
  [...wanted].flatMap((sourceId) => ids.get(sourceId) ?? []);

async function findPeople(
  { db, realmId }: Import,
  { people: known, erased }: KnownIds,
  wanted: ReadonlySet<string>,
): Promise<Map<string, MentionableUser & { id: number }>> {
  if (wanted.size === 0) return new Map();
  const people = erased.size === 0 ? known : new Map([...known, ...erased]);
  const { rows } = await sql<MentionableUser & { id: number }>`
    select id, id as user_id, full_name, is_active from users
    where realm_id = ${realmId} and id = any(${ourIds(wanted, people)}::bigint[])`.execute(db);
  return bySourceId(wanted, people, rows);
}

async function findChannels(
  { db, realmId }: Import,
  { channels }: KnownIds,
  wanted: ReadonlySet<string>,
): Promise<Map<string, { id: number; stream_id: number; name: string }>> {
  if (wanted.size === 0) return new Map();
  const { rows } = await sql<{ id: number; stream_id: number; name: string }>`
    select id, id as stream_id, name from channels
    where realm_id = ${realmId} and id = any(${ourIds(wanted, channels)}::bigint[])`.execute(db);
  return bySourceId(wanted, channels, rows);
}

interface TargetRow {
  source_id: string;
  id: number;
  conversation_id: number;
  is_private: boolean;
  channel_id: number | null;
  channel_name: string | null;
  topic: string | null;
  parties: { id: number; full_name: string }[] | null;
}

/** Messages of this import, stored already or not, and of earlier ones. */
async function findMessages(
  { db, realmId, source }: Import,
  wanted: ReadonlySet<string>,
): Promise<Map<string, LinkTarget>> {
  if (wanted.size === 0) return new Map();
  const { rows } = await sql<TargetRow>`
    with found as (
      select m.source_id, o.id, p.conversation_id, coalesce(t.topic_id, g.topic_id) as topic_id
      from unnest(${textArray([...wanted])}::text[]) as wanted (id)
        join import_messages m on m.realm_id = ${realmId} and m.source_id = wanted.id
        join import_order o on o.realm_id = ${realmId} and o.message_n = m.n and o.kind = ${sql.lit(lineKinds.message)}
        join import_places p on p.realm_id = ${realmId} and p.source_id = m.place_id and p.is_direct = m.is_direct
        left join import_threads t on t.realm_id = ${realmId} and t.n = o.thread_n
        left join import_topics g on g.realm_id = ${realmId} and g.n = o.topic_n
      union all
      select k.source_id, m.id, m.conversation_id, m.topic_id
      from unnest(${textArray([...wanted])}::text[]) as wanted (id)
        join import_map k on k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'message'
          and k.source_id = wanted.id
        join messages m on m.id = k.id
    )
    select f.source_id, f.id, f.conversation_id, coalesce(c.invite_only, true) or guests.are_there as is_private, c.id as channel_id, c.name as channel_name, t.name as topic, case when c.id is null then (
      select json_agg(json_build_object('id', u.id, 'full_name', u.full_name) order by u.id)
      from participations p join users u on u.id = p.user_id where p.conversation_id = f.conversation_id) end as parties
    from (select exists (select from users where realm_id = ${realmId} and role = ${roles.guest} and is_active)) as guests (are_there), found f left join channels c on c.id = f.conversation_id left join topics t on t.id = f.topic_id`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.source_id, toTarget(row)]));
}

const toTarget = ({
  id,
  conversation_id,
  is_private,
  channel_id,
  channel_name,
  topic,
  parties,
}: TargetRow): LinkTarget => ({
  id,
  conversationId: conversation_id,
  isPrivate: is_private,
  ...(channel_id !== null && channel_name !== null && topic !== null
    ? { channel: { stream_id: channel_id, name: channel_name }, topic }
    : {}),
  ...(parties ? { parties } : {}),
});

async function findUploads(
  { db, realmId, source }: Import,
  entries: readonly string[],
): Promise<Map<string, StoredUpload>> {
  if (entries.length === 0) return new Map();
  const { rows } = await sql<
    Omit<StoredUpload, "image"> & {
      entry: string;
      width: number | null;
      height: number | null;
      frames: number | null;
      content_type: string;
    }
  >`
    select k.source_id as entry, a.id, a.path_id as "pathId", a.file_name as name, a.width, a.height, a.frames, a.content_type
    from import_map k join attachments a on a.id = k.id
    where k.realm_id = ${realmId} and k.source = ${source.name} and k.kind = 'file'
      and k.source_id = any(${textArray([...new Set(entries)])}::text[])`.execute(db);
  return new Map(
    rows.map(({ entry, id, pathId, name, width, height, frames, content_type }) => [
      entry,
      {
        id,
        pathId,
        name,
        image:
          width === null || height === null || frames === null ? undefined : { width, height, frames, content_type },
      },
    ]),
  );
}
