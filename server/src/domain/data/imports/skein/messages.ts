/** The messages of our own export, conversation by conversation. */
import { BrokenFile } from "../archive/archive.ts";
import { isRecord, type JsonRecord, numberOf, recordsOf, stringOf } from "../archive/json.ts";
import type { NoteSkipped, SourceEdit, SourceId, SourceMessage, SourceReaction } from "../source.ts";
import { codeToName } from "../../../../markdown/emoji.ts";
import { toSourceText, type ZulipTextContext } from "../zulip/text.ts";
import { flagBits, type Flags } from "./flags.ts";
import type { SkeinPeople } from "./people.ts";
import type { SkeinPlaces } from "./places.ts";
import { Receivers } from "./receivers.ts";
import { type ExportFiles, filesOf, rowsIn, toMicroseconds } from "./rows.ts";
import type { SkeinTopics } from "./topics.ts";

export interface MessageContext {
  files: ExportFiles;
  people: SkeinPeople;
  places: SkeinPlaces;
  topics: SkeinTopics;
  flags: Flags;
  text: ZulipTextContext;
  /** Names of custom emoji by their ids. */
  emojiNames: ReadonlyMap<string, string>;
  noteSkipped: NoteSkipped;
}

export async function* readMessages(context: MessageContext): AsyncGenerator<SourceMessage> {
  const { files, places, noteSkipped } = context;
  let current: { conversation: SourceId; receivers: Receivers } | undefined;
  const receiversOf = (conversation: SourceId): Receivers => {
    if (current?.conversation !== conversation) {
      const receivers = new Receivers(places.readingsOf(conversation), places.isProtected(conversation));
      current = { conversation, receivers };
    }
    return current.receivers;
  };
  for (const entry of filesOf(files, "messages"))
    try {
      for await (const row of rowsIn(files, entry)) {
        const message = toMessage(row, entry, receiversOf, context);
        if (message !== undefined) yield message;
      }
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
      noteSkipped("broken_file", entry);
    }
}

function toMessage(
  row: unknown,
  entry: string,
  receiversOf: (conversation: SourceId) => Receivers,
  context: MessageContext,
): SourceMessage | undefined {
  const { people, places, flags, text, noteSkipped } = context;
  const number = isRecord(row) ? numberOf(row["id"]) : undefined;
  if (!isRecord(row) || number === undefined) {
    noteSkipped("bad_message", entry);
    return undefined;
  }
  const id = String(number);
  const at = toMicroseconds(row["date_sent"]);
  if (at === undefined || at <= 0) {
    noteSkipped("bad_timestamp", id);
    return undefined;
  }
  const conversation = String(row["conversation_id"]);
  const isInChannel = row["is_channel_message"] === true;
  const senderId = people.idOf(row["sender_id"]);
  if (senderId === undefined || !(isInChannel ? places.hasChannel(conversation) : places.hasDirect(conversation))) {
    noteSkipped("bad_message", id);
    return undefined;
  }
  const edits = editsOf(row, number, context);
  const editedAt = edits.findLast(({ previousText }) => previousText !== undefined)?.at;
  const reactions = reactionsOf(row, id, context);
  const submessages = recordsOf(row["submessages"]).flatMap((each) => {
    const sender = people.idOf(each["sender_id"]);
    if (sender === undefined) return [];
    return [{ senderId: sender, type: stringOf(each["msg_type"]), content: stringOf(each["content"]) }];
  });
  const flagged = [...flags.of(number)];
  const peopleWith = (flag: number): SourceId[] =>
    flagged.filter((one) => (one.flags & flag) !== 0).map(({ person }) => String(person));
  const [starredBy, mentioned] = [peopleWith(flagBits.starred), peopleWith(flagBits.mentioned)];
  const topicMentioned = peopleWith(flagBits.topic_wildcard_mentioned);
  const [alerted, collapsedBy] = [peopleWith(flagBits.has_alert_word), peopleWith(flagBits.collapsed)];
  const client = stringOf(row["client"]);
  return {
    id,
    ...(isInChannel ? { channelId: conversation, topic: stringOf(row["topic"]) } : { directId: conversation }),
    senderId,
    at,
    text: toSourceText(stringOf(row["content"]), text),
    ...(editedAt === undefined ? {} : { editedAt }),
    ...(edits.length === 0 ? {} : { edits }),
    ...(reactions.length === 0 ? {} : { reactions }),
    ...receiversOf(conversation).of(number),
    ...(starredBy.length === 0 ? {} : { starredBy }),
    ...(mentioned.length === 0 ? {} : { mentioned }),
    ...(topicMentioned.length === 0 ? {} : { topicMentioned }),
    ...(alerted.length === 0 ? {} : { alerted }),
    ...(collapsedBy.length === 0 ? {} : { collapsedBy }),
    ...(client === "" ? {} : { client }),
    ...(submessages.length === 0 ? {} : { submessages }),
  };
}

/** Its own edits and the renames of its topic, by time. */
function editsOf(row: JsonRecord, message: number, { people, places, topics, text }: MessageContext): SourceEdit[] {
  const channelOf = (id: unknown): SourceId | undefined => (places.hasChannel(String(id)) ? String(id) : undefined);
  const own = recordsOf(row["edits"]).flatMap((edit): SourceEdit[] => {
    const at = toMicroseconds(edit["edited_at"]);
    if (at === undefined) return [];
    const { prev_content, prev_topic, topic } = edit;
    const personId = people.idOf(edit["user_id"]);
    const previousChannelId = channelOf(edit["prev_channel_id"]);
    const channelId = channelOf(edit["channel_id"]);
    return [
      {
        at,
        ...(personId === undefined ? {} : { personId }),
        ...(typeof prev_content === "string" ? { previousText: toSourceText(prev_content, text) } : {}),
        ...(typeof prev_topic === "string" ? { previousTopic: prev_topic } : {}),
        ...(typeof topic === "string" ? { topic } : {}),
        ...(previousChannelId === undefined ? {} : { previousChannelId }),
        ...(channelId === undefined ? {} : { channelId }),
      },
    ];
  });
  const move = own.findLast(({ previousTopic, channelId }) => previousTopic !== undefined || channelId !== undefined);
  const renames = topics.renamesOf(row["topic_id"], message, move?.at ?? 0);
  return [...own, ...renames].toSorted((one, other) => one.at - other.at);
}

/** By our names, so nothing is translated. */
function reactionsOf(
  row: JsonRecord,
  id: SourceId,
  { people, emojiNames, noteSkipped }: MessageContext,
): SourceReaction[] {
  const byEmoji = new Map<string, { emojiName: string; emojiId: SourceId | null; people: SourceId[] }>();
  for (const { user_id, reaction_type, emoji_code, emoji_name } of recordsOf(row["reactions"])) {
    const code = stringOf(emoji_code);
    const emojiId = reaction_type === "realm_emoji" ? code : null;
    const name = emojiId === null ? (codeToName.get(code) ?? stringOf(emoji_name)) : emojiNames.get(code);
    const person = people.idOf(user_id);
    if (name === undefined) noteSkipped("reaction_unknown_emoji", id);
    else if (person === undefined) noteSkipped("reaction_unknown_user", id);
    else {
      const key = `${emojiId ?? ""} ${name}`;
      const known = byEmoji.get(key);
      if (known) known.people.push(person);
      else byEmoji.set(key, { emojiName: name, emojiId, people: [person] });
    }
  }
  return [...byEmoji.values()];
}
