/**
 * Yields the files of an export that Zulip 12 imports as that of another product: `manage.py import`. It contains what our own
 * export of the same type contains, as far as Zulip takes it; docs/export.md lists what gets lost.
 *
 * The database is read from one snapshot. What belongs to messages but is in a file that comes later waits in temporary
 * files, because an archive needs the size of a file before its content.
 */
import type { Db } from "../../../../platform/db/connect.ts";
import type { TarFile } from "../../../../platform/tar.ts";
import { type JsonRecord, listOf, numberOf, recordOf, recordsOf, stringOf } from "../../imports/archive/json.ts";
import { Flags } from "../../imports/skein/flags.ts";
import type { Reading } from "../../imports/skein/places.ts";
import { allMessages, type ExportContext } from "../archive.ts";
import { kinds } from "../contents.ts";
import { listPictures } from "../pictures.ts";
import { fetchTexts } from "../rows.ts";
import { type ExportRequest, findScope, type Scope } from "../scope.ts";
import { listUploads } from "../uploads.ts";
import { MessageConverter, type MessageSources } from "./messages.ts";
import { recipientTypes, toSeconds, ZulipOrganization } from "./organization.ts";
import { Spool } from "./spool.ts";

/** Zulip imports only what its own major version exported. */
const zulipVersion = "12.0";
const messagesInFile = 1000;
/** There is a row for every message and receiver: a file ends early where channels are large. */
const receiversInFile = 100_000;
const root = "zulip-export/";

export async function* zulipArchive(ctx: ExportContext, requested: ExportRequest): AsyncGenerator<TarFile> {
  const now = new Date();
  const spools = { realm: await Spool.create(), submessages: await Spool.create() };
  const tx = await ctx.db.startTransaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute();
  let attachments: Attachments | undefined;
  let pictures: Pictures = { avatars: [], emoji: [] };
  try {
    try {
      const scope = await findScope(tx, requested);
      const { small, sources, subscriptions } = await readSmall(tx, scope);
      await writeTables(spools.realm, sources.organization, subscriptions);
      attachments = new Attachments(small["attachments"] ?? [], sources.organization.realmId);
      await spools.realm.write(',\n"zerver_reaction":[');
      yield* messageFiles(tx, scope, new MessageConverter(sources), attachments, spools, now);
      await spools.realm.write("]");
      pictures = await picturesOf(tx, sources.organization.realmId, small);
    } finally {
      await tx.rollback().execute();
    }
    yield await realmFile(spools, now);
    yield file("attachment.json", { zerver_attachment: attachments.rows() }, now);
    yield* pictureFiles(ctx, "avatars", pictures.avatars, now);
    yield* pictureFiles(ctx, "emoji", pictures.emoji, now);
    yield file("realm_icons/records.json", [], now);
    yield* uploadFiles(ctx, attachments, now);
    yield file("migration_status.json", { migrations_by_app: {}, zulip_version: zulipVersion }, now);
  } finally {
    await Promise.all([spools.realm.close(), spools.submessages.close()]);
  }
}

function file(path: string, value: unknown, modifiedAt: Date): TarFile {
  const content = Buffer.from(`${JSON.stringify(value)}\n`);
  return { path: root + path, size: content.length, modifiedAt, content: [content] };
}

interface SmallTables {
  small: Record<string, JsonRecord[]>;
  sources: MessageSources;
  subscriptions: readonly JsonRecord[];
}

/** Everything but messages. */
async function readSmall(tx: Db, scope: Scope): Promise<SmallTables> {
  const all = kinds(scope);
  const rows = async function* (name: string): AsyncGenerator<JsonRecord> {
    const kind = all.find((one) => one.name === name);
    if (kind) for await (const text of fetchTexts(tx, kind.rows)) yield recordOf(JSON.parse(text));
  };
  const small: Record<string, JsonRecord[]> = {};
  for (const { name } of all) {
    if (["message_flags", "subscriptions", "topics", "read_direct_messages"].includes(name)) continue;
    small[name] = [];
    for await (const row of rows(name)) small[name].push(row);
  }
  const chosen = new Set((small["user_topics"] ?? []).map((row) => row["topic_id"]));
  const renames = new Map<number, readonly JsonRecord[]>();
  small["topics"] = [];
  for await (const row of rows("topics")) {
    const edits = recordsOf(row["edits"]);
    if (edits.length > 0) renames.set(numberOf(row["id"]) ?? 0, edits);
    if (chosen.has(row["id"])) small["topics"].push(row);
  }
  const readings = new Map<number, Reading[]>();
  const read = (conversation: unknown, person: unknown, isMember: boolean, ranges: JsonRecord): void => {
    const id = numberOf(conversation) ?? 0;
    const list = readings.get(id) ?? [];
    const [received, seen] = [ranges["received"], ranges["read"]];
    const isKnown = typeof received === "string" && typeof seen === "string";
    list.push({
      personId: String(person),
      isMember,
      received: isKnown ? received : undefined,
      read: isKnown ? seen : undefined,
    });
    readings.set(id, list);
  };
  const subscriptions: JsonRecord[] = [];
  for await (const row of rows("subscriptions")) {
    const { received, read: seen, ...personal } = recordOf(row["personal"]);
    read(row["channel_id"], row["user_id"], row["active"] === true, { received, read: seen });
    subscriptions.push({ user_id: row["user_id"], channel_id: row["channel_id"], active: row["active"], personal });
  }
  const seenDirectly = new Map<string, unknown>();
  for await (const row of rows("read_direct_messages"))
    seenDirectly.set(`${String(row["conversation_id"])} ${String(row["user_id"])}`, row["read"]);
  // Everybody in a conversation receives its messages, whether they agreed to export what they read or not.
  for (const row of small["direct_conversations"] ?? [])
    for (const person of listOf(row["user_ids"]))
      read(row["id"], person, true, {
        received: "{[0,)}",
        read: seenDirectly.get(`${String(row["id"])} ${String(person)}`) ?? "{[0,)}",
      });
  const protectedChannels = new Set(
    (small["channels"] ?? [])
      .filter((row) => row["history_public_to_subscribers"] === false)
      .map((row) => numberOf(row["id"]) ?? 0),
  );
  const flags = await Flags.read(rows("message_flags"));
  const organization = new ZulipOrganization(small);
  return { small, subscriptions, sources: { organization, readings, protectedChannels, flags, renames } };
}

async function writeTables(
  spool: Spool,
  organization: ZulipOrganization,
  subscriptions: readonly JsonRecord[],
): Promise<void> {
  await spool.write('{"import_source":"skein","sort_by_date":true');
  for (const [name, rows] of organization.tables()) {
    await spool.write(",\n");
    await spool.writeList(name, rows);
  }
  await spool.write(",\n");
  await spool.writeList("zerver_subscription", subscriptionRows(organization, subscriptions));
}

const defaultColor = "#c2c2c2";

function* subscriptionRows(
  organization: ZulipOrganization,
  subscriptions: readonly JsonRecord[],
): Generator<JsonRecord> {
  let id = 0;
  for (const row of subscriptions) {
    const recipient = organization.recipientOf(recipientTypes.channel, row["channel_id"]);
    const personal = { color: defaultColor, is_muted: false, pin_to_top: false, ...recordOf(row["personal"]) };
    yield { id: ++id, user_profile: row["user_id"], recipient, active: row["active"] === true, ...personal };
  }
  for (const row of organization.directs)
    for (const person of listOf(row["user_ids"]))
      yield {
        id: ++id,
        user_profile: person,
        recipient: organization.recipientOf(recipientTypes.direct, row["id"]),
        active: true,
        color: defaultColor,
        is_muted: false,
        pin_to_top: false,
      };
}

async function* messageFiles(
  tx: Db,
  scope: Scope,
  converter: MessageConverter,
  attachments: Attachments,
  { realm, submessages }: { realm: Spool; submessages: Spool },
  now: Date,
): AsyncGenerator<TarFile> {
  let number = 0;
  let waiting: { zerver_message: JsonRecord[]; zerver_usermessage: JsonRecord[] } = {
    zerver_message: [],
    zerver_usermessage: [],
  };
  const next = (): TarFile => {
    const made = file(`messages-${String(++number).padStart(6, "0")}.json`, waiting, now);
    waiting = { zerver_message: [], zerver_usermessage: [] };
    return made;
  };
  let [reactionSeparator, submessageSeparator] = ["\n", "\n"];
  for await (const text of allMessages(tx, scope)) {
    const row = recordOf(JSON.parse(text));
    const converted = converter.convert(row);
    waiting.zerver_message.push(converted.message);
    for (const receiver of converted.receivers) waiting.zerver_usermessage.push(receiver);
    for (const reaction of converted.reactions) {
      await realm.write(reactionSeparator + JSON.stringify(reaction));
      reactionSeparator = ",\n";
    }
    for (const submessage of converted.submessages) {
      await submessages.write(submessageSeparator + JSON.stringify(submessage));
      submessageSeparator = ",\n";
    }
    for (const id of listOf(row["attachments"])) attachments.add(id, numberOf(row["id"]) ?? 0);
    if (waiting.zerver_message.length >= messagesInFile || waiting.zerver_usermessage.length >= receiversInFile)
      yield next();
  }
  if (waiting.zerver_message.length > 0 || number === 0) yield next();
}

async function realmFile({ realm, submessages }: { realm: Spool; submessages: Spool }, now: Date): Promise<TarFile> {
  const [before, after] = [Buffer.from(',\n"zerver_submessage":['), Buffer.from("]}\n")];
  const size = (await realm.sized()) + before.length + (await submessages.sized()) + after.length;
  const content = async function* () {
    yield* realm.read();
    yield before;
    yield* submessages.read();
    yield after;
  };
  return { path: `${root}realm.json`, size, modifiedAt: now, content: content() };
}

/** Uploaded files, and the messages they are in. */
class Attachments {
  readonly #realmId: number;
  readonly #files: readonly JsonRecord[];
  readonly #messages = new Map<unknown, number[]>();

  constructor(files: readonly JsonRecord[], realmId: number) {
    this.#files = files;
    this.#realmId = realmId;
  }

  add(id: unknown, message: number): void {
    const messages = this.#messages.get(id);
    if (messages === undefined) this.#messages.set(id, [message]);
    else messages.push(message);
  }

  get ids(): number[] {
    return this.#files.map((row) => numberOf(row["id"]) ?? 0);
  }

  rows(): JsonRecord[] {
    return this.#files.map((row) => ({
      id: row["id"],
      realm: this.#realmId,
      owner: row["owner_id"],
      file_name: row["file_name"],
      path_id: pathOf(row),
      size: row["size"],
      content_type: row["content_type"],
      create_time: toSeconds(row["created_at"]),
      is_realm_public: false,
      is_web_public: false,
      messages: this.#messages.get(row["id"]) ?? [],
      scheduled_messages: [],
    }));
  }

  records(missing: ReadonlySet<string>): JsonRecord[] {
    return this.#files
      .filter((row) => !missing.has(pathOf(row)))
      .map((row) => ({
        path: pathOf(row),
        s3_path: pathOf(row),
        realm_id: this.#realmId,
        user_profile_id: row["owner_id"],
        size: row["size"],
        last_modified: toSeconds(row["created_at"]),
        content_type: row["content_type"],
      }));
  }
}

/** Its path below /user_uploads/. */
const pathOf = (row: JsonRecord): string => stringOf(row["file"]).replace(/^files\/uploads\//, "");

async function* uploadFiles(ctx: ExportContext, attachments: Attachments, now: Date): AsyncGenerator<TarFile> {
  const missing = new Set<string>();
  for await (const { key, path, size, created_at } of listUploads(ctx.db, attachments.ids)) {
    const short = path.replace(/^files\/uploads\//, "");
    const stored = await ctx.files.open(key);
    if (stored) yield { path: `${root}uploads/${short}`, size, modifiedAt: created_at, content: stored.body };
    else missing.add(short);
  }
  yield file("uploads/records.json", attachments.records(missing), now);
}

interface ZulipPicture {
  /** Its key in the file store. */
  key: string;
  /** Where it is in its folder, once or twice. */
  paths: string[];
  record: JsonRecord;
}

interface Pictures {
  avatars: ZulipPicture[];
  emoji: ZulipPicture[];
}

async function picturesOf(tx: Db, realm_id: number, small: Record<string, JsonRecord[]>): Promise<Pictures> {
  const emoji = new Map((small["emoji"] ?? []).map((row) => [`files/emoji/${stringOf(row["file_name"])}`, row]));
  const pictures: Pictures = { avatars: [], emoji: [] };
  for (const { path, key } of await listPictures(tx, realm_id)) {
    const person = /^files\/avatars\/(\d+)\.png$/.exec(path)?.[1];
    const row = emoji.get(path);
    if (person !== undefined) {
      const record = { user_profile_id: Number(person), avatar_version: 1 };
      const place = `${realm_id}/${person}`;
      pictures.avatars.push({ key, paths: [`${place}.png`, `${place}.original`], record: { realm_id, ...record } });
    } else if (row !== undefined) {
      const { name, file_name, author_id: author, deactivated } = row;
      const record = { realm_id, name, file_name, author, deactivated };
      pictures.emoji.push({ key, paths: [`${realm_id}/emoji/images/${stringOf(file_name)}`], record });
    }
  }
  return pictures;
}

/** Pictures are small enough to be held in memory. Those that were removed in the meantime are missing. */
async function* pictureFiles(
  ctx: ExportContext,
  folder: string,
  pictures: readonly ZulipPicture[],
  now: Date,
): AsyncGenerator<TarFile> {
  const records: JsonRecord[] = [];
  for (const { key, paths, record } of pictures) {
    const stored = await ctx.files.get(key);
    if (!stored) continue;
    for (const path of paths) {
      const size = stored.bytes.length;
      yield { path: `${root}${folder}/${path}`, size, modifiedAt: now, content: [stored.bytes] };
      const last_modified = now.getTime() / 1000;
      records.push({ ...record, path, s3_path: path, size, last_modified, content_type: "image/png" });
    }
  }
  yield file(`${folder}/records.json`, records, now);
}
