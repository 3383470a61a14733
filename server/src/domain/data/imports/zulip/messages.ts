/** The messages of a Zulip export: files of a thousand, each with who received them. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { isRecord, type JsonRecord, listOf, numberOf, recordsOf, stringOf } from "../archive/json.ts";
import { jsonItems } from "../archive/json-items.ts";
import { notificationBotId, type NoteSkipped, type SourceEdit, type SourceId, type SourceMessage } from "../source.ts";
import { codeToName, nameToCode } from "../../../../markdown/emoji.ts";
import { ourEmojiName } from "../text/emoji.ts";
import { customEmojiName, type GivenReaction, readReactions } from "../text/reactions.ts";
import type { ZulipPeople } from "./people.ts";
import type { ZulipPlaces } from "./places.ts";
import type { RealmTables } from "./tables.ts";
import { toSourceText, type ZulipTextContext } from "./text.ts";

const flags = { read: 1, starred: 2, mentioned: 8, historical: 1024 };
const endOfTime = 4_102_444_800; // 2100

export const toMicroseconds = (seconds: number): number => Math.round(seconds * 1_000_000);

export interface ZulipContext {
  archive: Archive;
  root: string;
  tables: RealmTables;
  people: ZulipPeople;
  places: ZulipPlaces;
  text: ZulipTextContext;
  customEmoji: ReadonlySet<string>;
  /** Names of custom emoji by their ids. */
  emojiNames: ReadonlyMap<string, string>;
  noteSkipped: NoteSkipped;
}

const messageFile = /^messages-\d+\.json$/;

export const messageFiles = (archive: Archive, root: string): string[] =>
  [...archive.files.keys()]
    .filter((name) => name.startsWith(root) && messageFile.test(name.slice(root.length)))
    .toSorted();

/** The rows of one file's messages; a file that cannot be read is noted. */
export async function readMessageFile(
  archive: Archive,
  entry: string,
  keys: ReadonlySet<string>,
  see: (key: string, row: unknown) => void,
  noteSkipped: NoteSkipped,
): Promise<void> {
  try {
    const chunks = (await archive.stream(entry)) as AsyncIterable<Buffer>;
    for await (const items of jsonItems(chunks, (key) => keys.has(key)))
      for (const { key = "", value } of items) see(key, value);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    noteSkipped("broken_file", entry);
  }
}

/** Who received a message, and what they did with it. */
interface Receivers {
  people: SourceId[];
  unread: SourceId[];
  starred: SourceId[];
  mentioned: SourceId[];
}

const both: ReadonlySet<string> = new Set(["zerver_message", "zerver_usermessage"]);

export async function* readMessages(context: ZulipContext): AsyncGenerator<SourceMessage> {
  const { archive, root, noteSkipped, people } = context;
  const submessages = Map.groupBy(context.tables.rows("zerver_submessage"), (row) => String(row["message"]));
  for (const entry of messageFiles(archive, root)) {
    const rows: unknown[] = [];
    const receivers = new Map<SourceId, Receivers>();
    const see = (key: string, row: unknown): void => {
      if (key === "zerver_message") rows.push(row);
      else if (isRecord(row)) addReceiver(receivers, row, people);
    };
    await readMessageFile(archive, entry, both, see, noteSkipped);
    for (const row of rows) {
      const message = toMessage(row, entry, receivers, submessages, context);
      if (message !== undefined) yield message;
    }
  }
}

function addReceiver(receivers: Map<SourceId, Receivers>, row: JsonRecord, people: ZulipPeople): void {
  const message = String(row["message"]);
  const person = people.idOf(row["user_profile"]);
  const bits = numberOf(row["flags_mask"]) ?? numberOf(row["flags"]) ?? flags.read;
  // They see it in the channel's history, and did not receive it.
  if (person === undefined || ((bits & flags.historical) !== 0 && (bits & flags.starred) === 0)) return;
  const found = receivers.get(message) ?? { people: [], unread: [], starred: [], mentioned: [] };
  receivers.set(message, found);
  if ((bits & flags.historical) === 0) found.people.push(person);
  if ((bits & flags.read) === 0) found.unread.push(person);
  if ((bits & flags.starred) !== 0) found.starred.push(person);
  if ((bits & flags.mentioned) !== 0) found.mentioned.push(person);
}

function toMessage(
  row: unknown,
  entry: string,
  receivers: ReadonlyMap<SourceId, Receivers>,
  submessages: ReadonlyMap<string, readonly JsonRecord[]>,
  context: ZulipContext,
): SourceMessage | undefined {
  const { people, places, tables, text, noteSkipped } = context;
  const number = isRecord(row) ? numberOf(row["id"]) : undefined;
  if (!isRecord(row) || number === undefined) {
    noteSkipped("bad_message", entry);
    return undefined;
  }
  const id = String(number);
  const sentAt = numberOf(row["date_sent"]);
  if (sentAt === undefined || sentAt <= 0 || sentAt >= endOfTime) {
    noteSkipped("bad_timestamp", id);
    return undefined;
  }
  const senderId = people.idOf(row["sender"]);
  const place = senderId === undefined ? undefined : places.placeOf(row["recipient"], senderId);
  if (senderId === undefined || place === undefined) {
    noteSkipped("bad_message", id);
    return undefined;
  }
  const received = receivers.get(id) ?? { people: [], unread: [], starred: [], mentioned: [] };
  const editedAt = numberOf(row["last_edit_time"]);
  const edits = editsOf(row["edit_history"], people, places, text);
  const given: GivenReaction[] = [...tables.reactionsTo(number)].map(({ person, emoji }) => ({
    name: reactionName(emoji, context),
    people: [people.idOf(person)],
  }));
  const reactions =
    given.length === 0 ? undefined : readReactions(id, given, context.customEmoji, noteSkipped, ourName);
  const widget = submessages.get(id)?.flatMap((each) => {
    const sender = people.idOf(each["sender"]);
    if (sender === undefined || sender === notificationBotId) return [];
    return [{ senderId: sender, type: stringOf(each["msg_type"]), content: stringOf(each["content"]) }];
  });
  return {
    id,
    ...place,
    senderId,
    at: toMicroseconds(sentAt),
    text: toSourceText(stringOf(row["content"]), text),
    ...(place.channelId === undefined ? {} : { topic: stringOf(row["subject"]) }),
    ...(editedAt === undefined ? {} : { editedAt: toMicroseconds(editedAt) }),
    ...(edits.length === 0 ? {} : { edits }),
    ...(reactions === undefined ? {} : { reactions }),
    receivedBy: received.people,
    ...(received.unread.length === 0 ? { unreadBy: [] } : { unreadBy: received.unread }),
    ...(received.starred.length === 0 ? {} : { starredBy: received.starred }),
    ...(received.mentioned.length === 0 ? {} : { mentioned: received.mentioned }),
    ...(widget === undefined ? {} : { submessages: widget }),
  };
}

/** Zulip's names are ours, whatever they mean in other chats. */
const ourName = (name: string): string | undefined => (nameToCode.has(name) ? name : ourEmojiName(name));

function reactionName(emoji: { type: string; code: string; name: string }, { emojiNames }: ZulipContext): string {
  if (emoji.type === "realm_emoji") return emojiNames.get(emoji.code) ?? customEmojiName(emoji.name);
  return codeToName.get(emoji.code) ?? emoji.name;
}

/** A text of JSON, the newest change first. */
function editsOf(history: unknown, people: ZulipPeople, places: ZulipPlaces, text: ZulipTextContext): SourceEdit[] {
  const channelOf = (id: unknown): SourceId | undefined => (places.hasChannel(String(id)) ? String(id) : undefined);
  return recordsOf(parseList(history))
    .toReversed()
    .flatMap((edit) => {
      const at = numberOf(edit["timestamp"]);
      if (at === undefined) return [];
      const personId = people.idOf(edit["user_id"]);
      const previousChannelId = channelOf(edit["prev_stream"]);
      const channelId = channelOf(edit["stream"]);
      const { prev_content, prev_topic, prev_subject, topic } = edit;
      const previousTopic = typeof prev_topic === "string" ? prev_topic : prev_subject;
      return [
        {
          at: toMicroseconds(at),
          ...(personId === undefined || personId === notificationBotId ? {} : { personId }),
          ...(typeof prev_content === "string" ? { previousText: toSourceText(prev_content, text) } : {}),
          ...(typeof previousTopic === "string" ? { previousTopic } : {}),
          ...(typeof topic === "string" ? { topic } : {}),
          ...(previousChannelId === undefined ? {} : { previousChannelId }),
          ...(channelId === undefined ? {} : { channelId }),
        },
      ];
    });
}

function parseList(text: unknown): readonly unknown[] {
  if (typeof text !== "string") return listOf(text);
  try {
    return listOf(JSON.parse(text));
  } catch {
    return [];
  }
}
