/**
 * Stores messages and the Notification Bot's lines in batches, in the order of their ids. While one batch is being stored,
 * the next one is read and rendered.
 */
import { maxMessageLength } from "@skein/api/messages.ts";
import type { RenderedMarkdown } from "../../../../markdown/render.ts";
import { truncate } from "../../../base/truncate.ts";
import type { Emoji } from "../../../organization/emoji/which-emoji.ts";
import type { SkipReason, SourceReaction, SourceText } from "../source.ts";
import { findNotifier } from "./accounts.ts";
import { toEdits, type ReadyEdit } from "./edits.ts";
import { emojiKey } from "./emoji.ts";
import { storeText, type NewAttachment } from "./files.ts";
import type { Import } from "./import-context.ts";
import { listLines, type Line } from "./lines.ts";
import { recall } from "./map.ts";
import { noticeText } from "./notice-texts.ts";
import { lineKey, lineKinds } from "./order.ts";
import { listProtectedPlaces, type ProtectedPlace } from "./protected-history.ts";
import { findEmoji } from "./reactions.ts";
import { findReferred, loadKnownIds, type KnownIds } from "./references.ts";
import { Renderer } from "./render.ts";
import { storeBatch } from "./store-messages.ts";
import { toSubmessages, type ReadySubmessage } from "./submessages.ts";
import { readTopicLeniently } from "./topics.ts";
import { toMarkdown, type Referred, type StoredUpload } from "./texts.ts";

/** A message that is ready to be stored. */
export interface ReadyMessage {
  id: number;
  isNotice: boolean;
  /** Its key in the map. */
  key: string;
  conversationId: number;
  topicId: number | null;
  /** In a channel with protected history: the name of its topic as it was written. */
  topicWritten: string | null;
  senderId: number;
  /** Microseconds. */
  at: number;
  edits: ReadyEdit[];
  submessages: ReadySubmessage[];
  content: string;
  rendered: RenderedMarkdown;
  attachmentIds: number[];
  /** The whole text, if it was too long for a message. */
  textFile: NewAttachment | undefined;
  reactions: (Emoji & { userId: number })[];
  starredBy: number[];
  mentionedIds: number[];
  topicMentionedIds: number[];
  alertedIds: number[];
  collapsedBy: number[];
  /** Undefined: the import. */
  client: string | undefined;
  unreadBy: number[];
  /** In a channel with protected history. */
  receivedBy: number[] | undefined;
}

export interface ReadyBatch {
  messages: ReadyMessage[];
  skipped: [SkipReason, string][];
  last: number;
}

interface Known extends KnownIds {
  /** By source id. */
  protectedPlaces: ReadonlyMap<string, ProtectedPlace>;
  /** Those that can be used, by name. */
  emoji: ReadonlyMap<string, number>;
  /** Those that the import stored, by their keys in the map. */
  importedEmoji: ReadonlyMap<string, Emoji>;
  notifierId: number;
  renderer: Renderer;
}

export async function storeMessages(run: Import, checkpoint: number): Promise<void> {
  const known = await loadKnown(run);
  const total = run.ids.end - run.ids.first;
  let next = prepare(run, known, Math.max(checkpoint, run.ids.first - 1));
  for (;;) {
    const batch = await next;
    if (!batch) return;
    next = prepare(run, known, batch.last);
    // If storing fails, nobody waits for the batch that is being prepared.
    next.catch(() => undefined);
    await run.batch("import messages", batch.last, (tx, report) => storeBatch(tx, run, batch, report));
    run.onProgress({ phase: "messages", done: batch.last - run.ids.first + 1, total });
  }
}

async function loadKnown(run: Import): Promise<Known> {
  const { db, realmId } = run;
  const emoji = await db
    .selectFrom("custom_emoji")
    .select(["id", "name"])
    .where("realm_id", "=", realmId)
    .where("deactivated", "=", false)
    .execute();
  const ids = await loadKnownIds(run);
  return {
    ...ids,
    protectedPlaces: await listProtectedPlaces(run),
    emoji: new Map(emoji.map(({ id, name }) => [name, id])),
    importedEmoji: await listImportedEmoji(run),
    notifierId: await findNotifier(run),
    renderer: await Renderer.create(run, ids),
  };
}

async function listImportedEmoji(run: Import): Promise<Map<string, Emoji>> {
  const ids = await recall(run.db, run, "emoji");
  const rows = await run.db
    .selectFrom("custom_emoji")
    .select(["id", "name"])
    .where("realm_id", "=", run.realmId)
    .execute();
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    [...ids].flatMap(([key, id]): [string, Emoji][] => {
      const emoji_name = names.get(id);
      return emoji_name === undefined
        ? []
        : [[key, { emoji_name, emoji_code: String(id), reaction_type: "realm_emoji" }]];
    }),
  );
}

/** By its id, if the source has ids and the emoji was stored; otherwise by its name. */
function emojiOf({ emojiName, emojiId }: SourceReaction, { emoji, importedEmoji }: Known): Emoji | undefined {
  if (emojiId === null) return findEmoji(emojiName, new Map());
  const imported = emojiId === undefined ? undefined : importedEmoji.get(emojiKey({ id: emojiId, name: emojiName }));
  return imported ?? findEmoji(emojiName, emoji);
}

/** Undefined when there is nothing left. */
async function prepare(run: Import, known: Known, after: number): Promise<ReadyBatch | undefined> {
  const lines = await listLines(run, after);
  const last = lines.at(-1);
  if (!last) return undefined;
  const referred = await findReferred(run, known, lines);
  const batch: ReadyBatch = { messages: [], skipped: [], last: last.id };
  for (const line of lines) {
    const message = await toMessage(run, known, referred, line, batch);
    if (message) batch.messages.push(message);
  }
  return batch;
}

async function toMessage(
  run: Import,
  known: Known,
  referred: Referred,
  line: Line,
  batch: ReadyBatch,
): Promise<ReadyMessage | undefined> {
  const isNotice = line.kind !== lineKinds.message;
  const sourceId = line.source_id ?? line.thread_source_id ?? "";
  const note = (reason: SkipReason): void => void batch.skipped.push([reason, sourceId]);
  const senderId = isNotice ? known.notifierId : known.people.get(line.sender_id ?? "");
  const conversationId = (line.is_direct ? known.directs : known.channels).get(line.place_id);
  if (senderId === undefined || conversationId === undefined) {
    if (!isNotice) note("bad_message");
    return undefined;
  }
  // A line that quotes a message counts nothing that the message counts already.
  const place = { senderId, conversationId };
  const text = toMarkdown(line.message?.text ?? [], referred, place, isNotice ? () => undefined : note);
  const whole = tidy(isNotice ? (noticeText(line, referred, text) ?? "") : text);
  if (isNotice && whole === "") return undefined;
  const uploads = uploadsIn(line, referred);
  const { content, textFile } = await fit(run, whole, senderId);
  const rendered = known.renderer.render(content, {
    users: [...referencedIn(line.message?.text, referred.people), ...(isNotice ? sendersIn(line, referred) : [])],
    channels: channelsIn(line.message?.text, referred),
    uploads,
  });
  const renderEarlier = (earlier: SourceText) => {
    const markdown = tidy(toMarkdown(earlier, referred, place, () => undefined));
    const references = { users: referencedIn(earlier, referred.people), channels: channelsIn(earlier, referred) };
    return { content: markdown, html: known.renderer.render(markdown, { ...references, uploads }).html };
  };
  const peopleOf = (ids: readonly string[] = []) => [...new Set(ids.flatMap((id) => known.people.get(id) ?? []))];
  const message = isNotice ? undefined : line.message;
  return {
    id: line.id,
    isNotice,
    key: isNotice ? lineKey(line.kind, sourceId) : sourceId,
    conversationId,
    topicId: line.topic_id,
    topicWritten: topicWrittenIn(line, known),
    senderId,
    at: line.at,
    edits: message ? toEdits(message, { senderId, content, html: rendered.html }, known, renderEarlier) : [],
    submessages: toSubmessages(message?.submessages, known.people),
    content,
    rendered,
    attachmentIds: uploads
      .filter(({ pathId }) => rendered.attachmentPathIds.includes(pathId))
      .map((upload) => upload.id),
    textFile,
    reactions: message ? reactionsOf(message.reactions, known, note) : [],
    starredBy: peopleOf(message?.starredBy),
    mentionedIds: peopleOf(message?.mentioned),
    topicMentionedIds: peopleOf(message?.topicMentioned),
    alertedIds: peopleOf(message?.alerted),
    collapsedBy: peopleOf(message?.collapsedBy),
    client: message?.client,
    unreadBy: peopleOf(message?.unreadBy).filter((id) => id !== senderId),
    receivedBy: line.is_direct ? undefined : receiversOf(known.protectedPlaces.get(line.place_id), peopleOf, message),
  };
}

const topicWrittenIn = ({ topic, is_direct, place_id }: Line, { protectedPlaces }: Known): string | null =>
  topic === null || is_direct || !protectedPlaces.has(place_id) ? null : readTopicLeniently(topic);

const tidy = (text: string): string => text.trimEnd().replace(/^\n+/, "");
const withoutText = "(no text)";

/** A text that is too long is cut, and stored as a whole as a file. */
async function fit(
  run: Import,
  text: string,
  ownerId: number,
): Promise<{ content: string; textFile: NewAttachment | undefined }> {
  if (text.trim() === "") return { content: withoutText, textFile: undefined };
  if (truncate(text, maxMessageLength, "") === text) return { content: text, textFile: undefined };
  const textFile = await storeText(run, ownerId, text);
  const link = `…\n\n[${textFile.name}](/user_uploads/${textFile.pathId})`;
  return { content: truncate(text, maxMessageLength, link), textFile };
}

function uploadsIn({ message }: Line, { files }: Referred): StoredUpload[] {
  const pieces = (message?.text ?? []).flatMap((piece) =>
    typeof piece !== "string" && piece.kind === "file" && piece.file.entry !== undefined
      ? (files.get(piece.file.entry) ?? [])
      : [],
  );
  return [...new Set(pieces)];
}

function referencedIn<T>(text: SourceText | undefined, found: ReadonlyMap<string, T>, kind = "person"): T[] {
  const pieces = (text ?? []).flatMap((piece) =>
    typeof piece !== "string" && piece.kind === kind && "id" in piece ? (found.get(piece.id) ?? []) : [],
  );
  return [...new Set(pieces)];
}

const channelsIn = (text: SourceText | undefined, { channels }: Referred) => referencedIn(text, channels, "channel");

/** Undefined where history is not protected. */
function receiversOf(
  place: ProtectedPlace | undefined,
  peopleOf: (ids?: readonly string[]) => number[],
  message: Line["message"],
): number[] | undefined {
  if (!place) return undefined;
  return place.members ?? peopleOf(message?.receivedBy);
}

const sendersIn = ({ sender_id }: Line, { people }: Referred) => {
  const sender = people.get(sender_id ?? "");
  return sender ? [sender] : [];
};

function reactionsOf(
  reactions: NonNullable<Line["message"]>["reactions"],
  known: Known,
  note: (reason: SkipReason) => void,
): ReadyMessage["reactions"] {
  const found = new Map<string, ReadyMessage["reactions"][number]>();
  for (const reaction of reactions ?? []) {
    const emoji = emojiOf(reaction, known);
    for (const person of reaction.people) {
      const userId = known.people.get(person);
      if (!emoji) note("reaction_unknown_emoji");
      else if (userId === undefined) note("reaction_unknown_user");
      else {
        const key = `${userId} ${emoji.reaction_type} ${emoji.emoji_code}`;
        if (found.has(key)) note("reaction_duplicate");
        found.set(key, { ...emoji, userId });
      }
    }
  }
  return [...found.values()];
}
