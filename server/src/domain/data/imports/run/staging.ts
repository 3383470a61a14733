/**
 * Reads the export into the staging tables: once, in batches, in any order. A run that is killed meanwhile starts reading
 * anew. Rows are sent as binary arrays and inserted by `unnest`, which is as fast as COPY here: the export's JSON takes
 * longer to read than the rows to store.
 */
import { sql } from "kysely";
import { bigintArray, booleanArray, textArray } from "../../../../platform/db/binary-array.ts";
import type { Db } from "../../../../platform/db/connect.ts";
import { transaction, type Tx } from "../../../../platform/db/transaction.ts";
import type { SourceFile, SourceMessage, SourcePerson, SourceText } from "../source.ts";
import type { Import } from "./import-context.ts";
import { loadErased, toErasedPerson, withoutContent, type FindErased } from "./erased.ts";
import { isResolvedBy } from "./reactions.ts";

const batchSize = 2000;
/** Long messages make a batch end earlier. */
const batchBytes = 4 * 1024 ** 2;

const tables = [
  "import_people",
  "import_places",
  "import_emoji",
  "import_files",
  "import_messages",
  "import_threads",
  "import_topics",
  "import_order",
  "import_read_states",
  "import_followers",
  "import_unread",
] as const;

export async function clearStaging(db: Db, realmId: number): Promise<void> {
  for (const table of tables) await sql`delete from ${sql.table(table)} where realm_id = ${realmId}`.execute(db);
}

/** What is needed of a message only when it is stored. */
export interface StagedMessage {
  text: SourceText;
  editedAt?: number | undefined;
  reactions?: SourceMessage["reactions"] | undefined;
  starredBy?: readonly string[] | undefined;
  mentioned?: readonly string[] | undefined;
  topicMentioned?: readonly string[] | undefined;
  alerted?: readonly string[] | undefined;
  collapsedBy?: readonly string[] | undefined;
  client?: string | undefined;
  unreadBy?: readonly string[] | undefined;
  /** Only where history is protected: elsewhere it says nothing. */
  receivedBy?: readonly string[] | undefined;
  edits?: SourceMessage["edits"] | undefined;
  submessages?: SourceMessage["submessages"] | undefined;
}

/** A file, and the first message that has it. */
export type StagedFileData = SourceFile & { messageId?: string };

export async function stage(run: Import): Promise<void> {
  await staged(run, (tx) => clearStaging(tx, run.realmId));
  const findErased = await loadErased(run);
  const people = await stagePeople(run, findErased);
  const protectedIds = await stagePlaces(run);
  await stageEmoji(run);
  await stageMessages(run, people, protectedIds, findErased);
  await stageReadStates(run);
  await stageFollowers(run);
  for (const table of tables) await sql`analyze ${sql.table(table)}`.execute(run.db);
}

/**
 * Runs a step in a transaction that holds the row of the import. Whoever continues the import waits for that row first
 * (`findUnfinished`), so nothing that a killed process has sent is stored later.
 */
const staged = <T>({ db, id }: Import, step: (tx: Tx) => Promise<T>): Promise<T> =>
  transaction(db, "stage an export", async (tx) => {
    await tx.selectFrom("imports").select("id").where("id", "=", id).forShare().execute();
    return step(tx);
  });

/** Collects rows and inserts them in batches. While a batch is inserted, the export is read on. */
class Writer<Row> {
  #rows: Row[] = [];
  #bytes = 0;
  #inserted: Promise<unknown> = Promise.resolve();
  readonly #run: Import;
  readonly #insert: (tx: Tx, rows: Row[]) => Promise<unknown>;

  constructor(run: Import, insert: (tx: Tx, rows: Row[]) => Promise<unknown>) {
    this.#run = run;
    this.#insert = insert;
  }

  async add(row: Row, bytes = 0): Promise<void> {
    this.#rows.push(row);
    this.#bytes += bytes;
    if (this.#rows.length >= batchSize || this.#bytes >= batchBytes) await this.#begin();
  }

  async flush(): Promise<void> {
    await this.#begin();
    await this.#inserted;
  }

  async #begin(): Promise<void> {
    await this.#inserted;
    const rows = this.#rows;
    this.#rows = [];
    this.#bytes = 0;
    if (rows.length === 0) return;
    this.#inserted = staged(this.#run, (tx) => this.#insert(tx, rows));
    // If reading fails, nobody waits for this batch.
    this.#inserted.catch(() => undefined);
  }
}

/** PostgreSQL has no NUL in texts, and JSON no halves of a pair. */
const clean = (text: string): string => text.replaceAll("\0", "").toWellFormed();
const toJson = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(String.raw`\u0000`, "")
    .toWellFormed();

interface StagedPerson {
  n: number;
  id: string;
  data: string;
}

const peopleWriter = (run: Import) =>
  new Writer<StagedPerson>(run, (tx, rows) =>
    sql`
      insert into import_people (realm_id, n, source_id, data)
      select ${run.realmId}, n, source_id, data::jsonb from unnest(${bigintArray(rows.map((row) => row.n))}::bigint[],
        ${textArray(rows.map((row) => row.id))}::text[], ${textArray(rows.map((row) => row.data))}::text[])
        as row (n, source_id, data)`.execute(tx),
  );

async function stagePeople(run: Import, findErased: FindErased): Promise<number> {
  const writer = peopleWriter(run);
  let n = 0;
  for await (const person of run.source.people()) await writer.add(toStaged(person, ++n, findErased));
  await writer.flush();
  return n;
}

function toStaged(person: SourcePerson, n: number, findErased: FindErased): StagedPerson {
  const erasedId = findErased(person.id);
  const data = erasedId === undefined ? person : toErasedPerson(person, erasedId);
  return { n, id: clean(person.id), data: toJson(data) };
}

/** Returns the channels with protected history. */
async function stagePlaces(run: Import): Promise<Set<string>> {
  const { realmId, plan } = run;
  const protectedIds = new Set<string>();
  let n = 0;
  const writer = new Writer<{ n: number; id: string; isDirect: boolean; data: string }>(run, (tx, rows) =>
    sql`
      insert into import_places (realm_id, n, source_id, is_direct, data)
      select ${realmId}, n, source_id, is_direct, data::jsonb
      from unnest(${bigintArray(rows.map((row) => row.n))}::bigint[], ${textArray(rows.map((row) => row.id))}::text[],
        ${booleanArray(rows.map((row) => row.isDirect))}::boolean[], ${textArray(rows.map((row) => row.data))}::text[])
        as row (n, source_id, is_direct, data)
      on conflict do nothing`.execute(tx),
  );
  for await (const channel of run.source.channels()) {
    if (plan.channels.get(channel.id)?.action === "skip") continue;
    if (channel.hasProtectedHistory) protectedIds.add(channel.id);
    await writer.add({ n: ++n, id: clean(channel.id), isDirect: false, data: toJson(channel) });
  }
  for await (const direct of run.source.directs())
    await writer.add({ n: ++n, id: clean(direct.id), isDirect: true, data: toJson(direct) });
  await writer.flush();
  return protectedIds;
}

async function stageEmoji(run: Import): Promise<void> {
  let n = 0;
  const writer = new Writer<{ n: number; data: string }>(run, (tx, rows) =>
    sql`
      insert into import_emoji (realm_id, n, data)
      select ${run.realmId}, n, data::jsonb from unnest(${bigintArray(rows.map((row) => row.n))}::bigint[],
        ${textArray(rows.map((row) => row.data))}::text[]) as row (n, data)`.execute(tx),
  );
  for await (const emoji of run.source.emoji()) await writer.add({ n: ++n, data: toJson(emoji) });
  await writer.flush();
}

interface MessageRow {
  n: number;
  message: SourceMessage;
  data: string;
}

const messageWriter = (run: Import) =>
  new Writer<MessageRow>(run, (tx, rows) => {
    const texts = (value: (message: SourceMessage) => string | undefined) =>
      textArray(rows.map(({ message }) => clean(value(message) ?? "") || null));
    const column = (value: (message: SourceMessage) => string) =>
      textArray(rows.map(({ message }) => clean(value(message))));
    const numbers = (value: (message: SourceMessage) => number | undefined) =>
      bigintArray(rows.map(({ message }) => value(message) ?? null));
    const booleans = (value: (message: SourceMessage) => boolean) =>
      booleanArray(rows.map(({ message }) => value(message)));
    return sql`
      insert into import_messages (realm_id, n, source_id, place_id, is_direct, sender_id, at, thread_id, thread_at,
        thread_name, is_broadcast, is_resolved, topic, data)
      select ${run.realmId}, * from unnest(${bigintArray(rows.map((row) => row.n))}::bigint[],
        ${column(({ id }) => id)}::text[], ${column((message) => message.channelId ?? message.directId ?? "")}::text[],
        ${booleans((message) => message.channelId === undefined)}::boolean[],
        ${column(({ senderId }) => senderId)}::text[], ${numbers(({ at }) => at)}::bigint[],
        ${texts((message) => (message.channelId === undefined ? undefined : message.threadId))}::text[],
        ${numbers(({ threadAt }) => threadAt)}::bigint[], ${texts(({ threadName }) => threadName)}::text[],
        ${booleans(({ isBroadcast }) => isBroadcast ?? false)}::boolean[], ${booleans(isResolvedBy)}::boolean[],
        ${textArray(rows.map(({ message }) => (message.topic === undefined ? null : clean(message.topic))))}::text[],
        ${textArray(rows.map((row) => row.data))}::text[])`.execute(tx);
  });

interface FileRow {
  n: number;
  entry: string;
  senderId: string;
  data: string;
}

const fileWriter = (run: Import) =>
  new Writer<FileRow>(run, (tx, rows) =>
    sql`
      insert into import_files (realm_id, n, entry, sender_id, data)
      select ${run.realmId}, n, entry, sender_id, data::jsonb from unnest(${bigintArray(rows.map((row) => row.n))}::bigint[],
        ${textArray(rows.map((row) => row.entry))}::text[], ${textArray(rows.map((row) => row.senderId))}::text[],
        ${textArray(rows.map((row) => row.data))}::text[]) as row (n, entry, sender_id, data)
      on conflict do nothing`.execute(tx),
  );

async function stageMessages(
  run: Import,
  people: number,
  protectedIds: ReadonlySet<string>,
  findErased: FindErased,
): Promise<void> {
  const [messages, stubs, files] = [messageWriter(run), peopleWriter(run), fileWriter(run)];
  const { plan, onProgress } = run;
  let [n, personNumber, fileNumber] = [0, people, 0];
  for await (const given of run.source.messages()) {
    if ("stub" in given) {
      await stubs.add(toStaged(given.stub, ++personNumber, findErased));
      continue;
    }
    const item = findErased(given.senderId) === undefined ? given : withoutContent(given);
    if (item.channelId !== undefined && plan.channels.get(item.channelId)?.action === "skip") continue;
    const { text, editedAt, reactions, starredBy, mentioned, unreadBy, edits, submessages } = item;
    const { topicMentioned, alerted, collapsedBy, client } = item;
    const receivedBy = protectedIds.has(item.channelId ?? "") ? (item.receivedBy ?? []) : undefined;
    const data = toJson({
      text: text.map(withoutUrl),
      editedAt,
      reactions,
      starredBy,
      mentioned,
      topicMentioned,
      alerted,
      collapsedBy,
      client,
      unreadBy,
      receivedBy,
      edits,
      submessages,
    } satisfies StagedMessage);
    await messages.add({ n: ++n, message: item, data }, data.length);
    for (const piece of text)
      if (typeof piece !== "string" && piece.kind === "file" && piece.file.entry !== undefined)
        await files.add({
          n: ++fileNumber,
          entry: clean(piece.file.entry),
          senderId: clean(piece.file.ownerId ?? item.senderId),
          data: toJson({ ...piece.file, messageId: item.id } satisfies StagedFileData),
        });
    if (n % batchSize === 0) onProgress({ phase: "reading the export", done: n, total: 0 });
  }
  for await (const file of run.source.extras?.files?.() ?? [])
    if (findErased(file.ownerId) === undefined)
      await files.add({
        n: ++fileNumber,
        entry: clean(file.entry),
        senderId: clean(file.ownerId),
        data: toJson(file satisfies StagedFileData),
      });
  for (const writer of [messages, stubs, files]) await writer.flush();
}

/** Addresses with tokens are needed where files are fetched, and nowhere else. */
function withoutUrl(piece: SourceText[number]): SourceText[number] {
  if (typeof piece === "string" || piece.kind !== "file") return piece;
  const { url: _, ...file } = piece.file;
  return { ...piece, file };
}

async function stageReadStates(run: Import): Promise<void> {
  type Row = { personId: string; placeId: string; isDirect: boolean; threadId: string | null; readUntil: number };
  const writer = new Writer<Row>(run, (tx, rows) =>
    sql`
      insert into import_read_states (realm_id, person_id, place_id, is_direct, thread_id, read_until)
      select ${run.realmId}, * from unnest(${textArray(rows.map((row) => row.personId))}::text[],
        ${textArray(rows.map((row) => row.placeId))}::text[], ${booleanArray(rows.map((row) => row.isDirect))}::boolean[],
        ${textArray(rows.map((row) => row.threadId))}::text[],
        ${bigintArray(rows.map((row) => row.readUntil))}::bigint[])`.execute(tx),
  );
  for await (const { personId, channelId, directId, threadId, readUntil } of run.source.readStates())
    await writer.add({
      personId: clean(personId),
      placeId: clean(channelId ?? directId ?? ""),
      isDirect: directId !== undefined,
      threadId: threadId === undefined ? null : clean(threadId),
      readUntil,
    });
  await writer.flush();
}

async function stageFollowers(run: Import): Promise<void> {
  const writer = new Writer<{ personId: string; threadId: string }>(run, (tx, rows) =>
    sql`
      insert into import_followers (realm_id, person_id, thread_id)
      select ${run.realmId}, * from unnest(${textArray(rows.map((row) => clean(row.personId)))}::text[],
        ${textArray(rows.map((row) => clean(row.threadId)))}::text[])`.execute(tx),
  );
  for await (const follower of run.source.followers()) await writer.add(follower);
  await writer.flush();
}
