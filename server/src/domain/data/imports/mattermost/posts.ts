/** The posts of a Mattermost export. A post contains its replies. */
import { createHash } from "node:crypto";
import type { Archive } from "../archive/archive.ts";
import { type JsonRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { fileName } from "../names/stored-name.ts";
import { threadName } from "../names/topic-name.ts";
import type { NoteSkipped, SourceFile, SourceId, SourceMessage, SourcePerson, SourceText } from "../source.ts";
import { Marks } from "../text/marks.ts";
import { applyStyle, link } from "../text/styles.ts";
import { readReactions } from "../text/reactions.ts";
import type { MattermostLookup } from "./lookup.ts";
import { type MarkdownContext, markdownWithMarks, toPlain } from "./markdown.ts";
import { type MattermostPeople, unknownPerson } from "./people.ts";
import { toMicroseconds } from "./places.ts";

const endOfTime = 4_102_444_800_000; // 2100

export interface PostContext {
  archive: Archive;
  filesRoot: string;
  people: MattermostPeople;
  lookup: MattermostLookup;
  customEmoji: ReadonlySet<string>;
  noteSkipped: NoteSkipped;
}

export type PostPlace = { channelId: SourceId; directId?: never } | { directId: SourceId; channelId?: never };

/** Exports have no ids of posts: place, author, text and time identify one, as in the server's own import. */
export function postId(placeId: SourceId, post: JsonRecord): SourceId {
  const hash = createHash("sha1")
    .update(`${stringOf(post["user"])}\n${stringOf(post["message"])}`)
    .digest("hex");
  return `${placeId}:${String(post["create_at"])}:${hash.slice(0, 12)}`;
}

const isSystem = (post: JsonRecord): boolean => stringOf(post["type"]).startsWith("system_");

export class PostReader {
  readonly #context: PostContext;
  readonly #strangers = new Map<SourceId, SourcePerson>();

  constructor(context: PostContext) {
    this.#context = context;
  }

  /** The post and its replies, as far as they are imported. */
  *read(post: JsonRecord, place: PostPlace, team: string): Generator<SourceMessage | { stub: SourcePerson }> {
    const placeId = place.channelId ?? place.directId;
    const rootId = postId(placeId, post);
    const replies = recordsOf(post["replies"]);
    const isThread = place.channelId !== undefined && replies.length > 0;
    const thread = isThread ? { threadId: rootId, threadAt: toMicroseconds(post["create_at"]) } : {};
    yield* this.#readOne(post, rootId, place, team, thread);
    const ids = new Set([rootId]);
    for (const reply of replies) {
      let id = postId(placeId, reply);
      for (let number = 2; ids.has(id); number++) id = `${postId(placeId, reply)}:${number}`;
      ids.add(id);
      yield* this.#readOne(reply, id, place, team, thread);
    }
  }

  *#readOne(
    post: JsonRecord,
    id: SourceId,
    place: PostPlace,
    team: string,
    thread: { threadId?: SourceId; threadAt?: number },
  ): Generator<SourceMessage | { stub: SourcePerson }> {
    const { noteSkipped } = this.#context;
    const createdAt = numberOf(post["create_at"]);
    if (createdAt === undefined || createdAt <= 0 || createdAt >= endOfTime) return noteSkipped("bad_timestamp", id);
    if (isSystem(post)) return noteSkipped("system_message", id);
    const username = stringOf(post["user"]);
    if (username === "") return noteSkipped("bad_message", id);
    const sender = this.#senderOf(username);
    if (!sender.isListed && !this.#strangers.has(sender.id)) {
      this.#strangers.set(sender.id, sender);
      yield { stub: sender };
    }
    if (post["is_pinned"] === true) noteSkipped("pin", id);
    yield this.#toMessage(post, id, createdAt, place, team, sender.id, thread);
  }

  #senderOf(username: string): SourcePerson {
    return (
      this.#context.people.find(username) ?? this.#strangers.get(username.toLowerCase()) ?? unknownPerson(username)
    );
  }

  #toMessage(
    post: JsonRecord,
    id: SourceId,
    createdAt: number,
    place: PostPlace,
    team: string,
    senderId: SourceId,
    thread: { threadId?: SourceId; threadAt?: number },
  ): SourceMessage {
    const { lookup, customEmoji, noteSkipped } = this.#context;
    const noteLinkToPost = (): void => noteSkipped("permalink_unresolved", id);
    const files = this.#filesOf(post, id);
    const editedAt = toMicroseconds(post["edit_at"]);
    const starredBy = knownPeople(stringsOf(post["flagged_by"]), lookup);
    const given = recordsOf(post["reactions"]);
    const reactions =
      given.length === 0 ? undefined : readReactions(id, groupReactions(given, lookup), customEmoji, noteSkipped);
    return {
      id,
      ...place,
      senderId,
      at: createdAt * 1000,
      text: bodyOf(post, files, { team, lookup, noteLinkToPost }),
      ...(editedAt > 0 ? { editedAt } : {}),
      ...(reactions === undefined ? {} : { reactions }),
      ...(starredBy.length === 0 ? {} : { starredBy }),
      ...thread,
      ...(thread.threadAt === undefined ? {} : { threadName: this.#nameOf(post, files, team, thread.threadAt) }),
    };
  }

  #nameOf(post: JsonRecord, files: readonly SourceFile[], team: string, at: number): string {
    const { lookup } = this.#context;
    const [first] = recordsOf(recordOf(post["props"])["attachments"]);
    const texts = [stringOf(post["message"])];
    if (first !== undefined) texts.push(stringOf(first["title"]) || stringOf(first["fallback"]));
    return threadName({
      texts: texts.map((text) => toPlain(text, { lookup, team })),
      fileNames: files.slice(0, 1).map(({ name }) => name),
      at,
    });
  }

  #filesOf(post: JsonRecord, id: SourceId): SourceFile[] {
    const { archive, filesRoot, noteSkipped } = this.#context;
    return recordsOf(post["attachments"]).map((attachment) => {
      const path = stringOf(attachment["path"]);
      const entry = filesRoot + path;
      const size = archive.files.get(entry)?.size;
      const name = fileName([path], "file");
      if (size !== undefined) return { entry, name, size };
      noteSkipped("file_not_in_archive", id);
      return { name };
    });
  }
}

const knownPeople = (usernames: readonly string[], lookup: MattermostLookup): SourceId[] => [
  ...new Set(usernames.map((username) => lookup.personId(username)).filter((id) => id !== undefined)),
];

function groupReactions(given: readonly JsonRecord[], lookup: MattermostLookup) {
  const byName = Map.groupBy(given, (reaction) => stringOf(reaction["emoji_name"]));
  return [...byName].map(([name, reactions]) => ({
    name,
    people: reactions.map((reaction) => lookup.personId(stringOf(reaction["user"]))),
  }));
}

function bodyOf(post: JsonRecord, files: readonly SourceFile[], context: MarkdownContext): SourceText {
  const marks = new Marks();
  const write = (text: unknown): string => markdownWithMarks(stringOf(text), marks, context).trim();
  const props = recordOf(post["props"]);
  const isMe = post["type"] === "me";
  const text = isMe
    ? marks.add("/me ") + write(stringOf(props["message"]) || stringOf(post["message"]).replaceAll(/^\*|\*$/g, ""))
    : write(post["message"]);
  const sections = [
    text,
    ...recordsOf(props["attachments"]).map((attachment) => attachmentOf(attachment, write, marks)),
    files.map((file) => marks.add({ kind: "file", file })).join("\n"),
  ].filter((section) => section !== "");
  return sections.length === 0 ? ["(no text)"] : marks.expand(sections.join("\n\n"));
}

/** In their order: pretext, title, text, fields; the fallback if there is nothing else. */
function attachmentOf(attachment: JsonRecord, write: (text: unknown) => string, marks: Marks): string {
  const title = stringOf(attachment["title"]);
  const url = stringOf(attachment["title_link"]);
  const image = stringOf(attachment["image_url"]);
  const parts = [
    write(attachment["pretext"]),
    title === "" ? "" : url === "" ? write(title) : marks.add(link(title, url)),
    write(attachment["text"]),
    ...recordsOf(attachment["fields"]).map((field) => {
      const name = write(field["title"]);
      const value = write(typeof field["value"] === "number" ? String(field["value"]) : field["value"]);
      return name === "" ? value : `${applyStyle(name, { bold: true }, marks)}: ${value}`;
    }),
    image === "" ? "" : marks.add({ url: image }),
  ].filter((part) => part !== "");
  return parts.length > 0 ? parts.join("\n") : write(attachment["fallback"]);
}
