/** The messages of a Slack export: one file for each channel and day. */
import { type JsonRecord, isRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { threadName } from "../names/topic-name.ts";
import type { NoteSkipped, SourceId, SourceMessage, SourcePerson } from "../source.ts";
import { type GivenReaction, readReactions } from "../text/reactions.ts";
import { bodyOf, plainBody, plainTextsOf } from "./body.ts";
import { fileNamesOf, filesOf } from "./files.ts";
import type { SlackLookup } from "./lookup.ts";
import { type SlackPeople, unknownBot, unknownPerson } from "./people.ts";
import type { Place } from "./places.ts";

/** Lines about what happened in a channel. */
const systemSubtypes: ReadonlySet<string> = new Set([
  ...[
    "join",
    "leave",
    "name",
    "topic",
    "purpose",
    "archive",
    "unarchive",
    "convert_to_private",
    "posting_permissions",
  ].flatMap((change) => [`channel_${change}`, `group_${change}`]),
  "bot_add",
  "bot_remove",
  "bot_enable",
  "bot_disable",
  "pinned_item",
  "unpinned_item",
  "reminder_add",
]);
/** Slack's sender of such lines in old exports. */
const system = "U00";

const huddles: ReadonlySet<string> = new Set(["huddle_thread", "sh_room_created"]);

const endOfTime = 4_102_444_800; // 2100
const timestamp = /^(\d{1,10})(?:\.(\d{1,6})\d*)?$/;

/** As it is in ids: seconds, a period and six digits. Undefined if it is no time between 1970 and 2100. */
function normalizeTimestamp(ts: unknown): string | undefined {
  const text = typeof ts === "number" ? String(ts) : stringOf(ts);
  const [, seconds = "", fraction = ""] = timestamp.exec(text) ?? [];
  const value = Number(seconds);
  if (seconds === "" || value >= endOfTime || (value === 0 && Number(fraction) === 0)) return undefined;
  return `${value}.${fraction.padEnd(6, "0")}`;
}

const toMicroseconds = (ts: string): number => Number(ts.slice(0, -7)) * 1_000_000 + Number(ts.slice(-6));

export interface MessageContext {
  people: SlackPeople;
  lookup: SlackLookup;
  fileEntries: ReadonlyMap<string, string>;
  canFetch: (url: string) => boolean;
  customEmoji: ReadonlySet<string>;
  noteSkipped: NoteSkipped;
}

/** Reads messages one by one, and remembers which people came with an earlier one. */
export class MessageReader {
  readonly #context: MessageContext;
  readonly #strangers = new Map<SourceId, SourcePerson>();

  constructor(context: MessageContext) {
    this.#context = context;
  }

  /** With the sender before it, if they are not in the list and this is their first message. Empty if it is left out. */
  read(given: unknown, place: Place, source: string): (SourceMessage | { stub: SourcePerson })[] {
    const { noteSkipped } = this.#context;
    const placeId = place.channelId ?? place.directId;
    if (!isRecord(given)) {
      noteSkipped("bad_message", source);
      return [];
    }
    const ts = normalizeTimestamp(given["ts"]);
    if (ts === undefined) {
      noteSkipped("bad_timestamp", source);
      return [];
    }
    const id = `${placeId}:${ts}`;
    const subtype = stringOf(given["subtype"]);
    if (systemSubtypes.has(subtype) || given["user"] === system) {
      noteSkipped("system_message", id);
      return [];
    }
    if (subtype === "tombstone") {
      noteSkipped("deleted_message", id);
      return [];
    }
    const sender = this.#senderOf(given, subtype);
    if (sender === undefined) {
      noteSkipped("bad_message", id);
      return [];
    }
    const message = this.#toMessage(id, ts, given, place, sender);
    return sender.isListed || !this.#isNew(sender) ? [message] : [{ stub: sender }, message];
  }

  #isNew(stranger: SourcePerson): boolean {
    if (this.#strangers.has(stranger.id)) return false;
    this.#strangers.set(stranger.id, stranger);
    return true;
  }

  #toMessage(id: SourceId, ts: string, given: JsonRecord, place: Place, sender: SourcePerson): SourceMessage {
    const { lookup, noteSkipped, customEmoji } = this.#context;
    const at = toMicroseconds(ts);
    const files = filesOf(given, id, this.#context);
    const editedAt = normalizeTimestamp(recordOf(given["edited"])["ts"]);
    const reactions = Array.isArray(given["reactions"])
      ? readReactions(
          id,
          recordsOf(given["reactions"]).map((reaction) => this.#toReaction(reaction)),
          customEmoji,
          noteSkipped,
        )
      : undefined;
    return {
      id,
      ...place,
      senderId: sender.id,
      at,
      text: huddles.has(stringOf(given["subtype"]))
        ? plainBody(huddleLine(recordOf(given["room"])))
        : bodyOf(given, files, lookup),
      ...(editedAt === undefined ? {} : { editedAt: toMicroseconds(editedAt) }),
      ...(reactions === undefined ? {} : { reactions }),
      ...(place.channelId === undefined ? {} : this.#threadOf(given, ts, at, place.channelId)),
    };
  }

  #threadOf(given: JsonRecord, ts: string, at: number, channelId: SourceId): Partial<SourceMessage> {
    const threadTs = normalizeTimestamp(given["thread_ts"]) ?? (hasReplies(given) ? ts : undefined);
    if (threadTs === undefined) return {};
    const threadAt = threadTs === ts ? at : toMicroseconds(threadTs);
    return {
      threadId: `${channelId}:${threadTs}`,
      threadAt,
      threadName: threadName({
        texts: plainTextsOf(given, this.#context.lookup),
        fileNames: fileNamesOf(given),
        at: threadAt,
      }),
      ...(given["subtype"] === "thread_broadcast" && threadTs !== ts ? { isBroadcast: true } : {}),
    };
  }

  #toReaction(reaction: JsonRecord): GivenReaction {
    return {
      name: stringOf(reaction["name"]),
      people: stringsOf(reaction["users"]).map((user) => this.#context.lookup.personId(user)),
    };
  }

  #senderOf(given: JsonRecord, subtype: string): SourcePerson | undefined {
    const { people } = this.#context;
    const userId = userIdOf(given, subtype);
    const botId = stringOf(given["bot_id"]);
    const bot = botId === "" ? undefined : people.findBot(botId);
    if (userId !== "") {
      const stranger = this.#strangers.get(userId);
      const known = people.find(userId) ?? bot;
      return known ?? stranger ?? unknownPerson(userId, recordOf(given["user_profile"]));
    }
    const name = stringOf(given["username"]) || stringOf(recordOf(given["bot_profile"])["name"]);
    if (botId !== "") return bot ?? this.#strangers.get(botId) ?? unknownBot(botId, name);
    // Old webhooks have nothing but a name.
    if (name === "") return undefined;
    const id = `bot:${name}`;
    return this.#strangers.get(id) ?? unknownBot(id, name);
  }
}

function userIdOf(given: JsonRecord, subtype: string): string {
  if (huddles.has(subtype)) {
    const creator = stringOf(recordOf(given["room"])["created_by"]);
    if (creator !== "") return creator;
  }
  return (
    stringOf(given["user"]) ||
    (subtype === "file_comment" ? stringOf(recordOf(given["comment"])["user"]) : "") ||
    (subtype === "file_share" || subtype === "file_mention" ? stringOf(recordOf(given["file"])["user"]) : "")
  );
}

const hasReplies = (given: JsonRecord): boolean =>
  (numberOf(given["reply_count"]) ?? 0) > 0 || (Array.isArray(given["replies"]) && given["replies"].length > 0);

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

function huddleLine(room: JsonRecord): string {
  const people = new Set([...stringsOf(room["participant_history"]), ...stringsOf(room["participants"])]).size;
  const seconds = (numberOf(room["date_end"]) ?? 0) - (numberOf(room["date_start"]) ?? 0);
  const duration = seconds > 0 ? `, ${count(Math.max(1, Math.round(seconds / 60)), "minute", "minutes")}` : "";
  return `Huddle: ${count(people, "person", "people")}${duration}`;
}
