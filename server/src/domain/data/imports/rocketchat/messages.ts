/** The messages of a Rocket.Chat dump. */
import { type JsonRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { fileName, personName } from "../names/stored-name.ts";
import { threadName } from "../names/topic-name.ts";
import type { NoteSkipped, SourceFile, SourceId, SourceMessage, SourcePerson, SourceText } from "../source.ts";
import { literal } from "../text/literal.ts";
import { Marks } from "../text/marks.ts";
import { readReactions } from "../text/reactions.ts";
import { applyStyle, link } from "../text/styles.ts";
import { type RocketLookup, toMarkdown, toPlain } from "./markdown.ts";

const endOfTime = 4_102_444_800_000; // 2100
const command = /^\/(?=(?:me|poll|todo)(?:\s|$))/;

/** Where the messages of a room go: a channel, with a topic if the room is a discussion, or a conversation. */
export type RoomPlace =
  | { channelId: SourceId; topic?: string; directId?: never }
  | { directId: SourceId; channelId?: never; topic?: never };

export interface RocketContext {
  people: ReadonlyMap<SourceId, SourcePerson>;
  lookup: RocketLookup;
  customEmoji: ReadonlySet<string>;
  uploadOf: (id: string) => { entry: string; size: number } | undefined;
  noteSkipped: NoteSkipped;
}

export class RocketReader {
  readonly #context: RocketContext;
  readonly #strangers = new Set<SourceId>();

  constructor(context: RocketContext) {
    this.#context = context;
  }

  *read(given: JsonRecord, place: RoomPlace): Generator<SourceMessage | { stub: SourcePerson }> {
    const { noteSkipped, people } = this.#context;
    const id = stringOf(given["_id"]);
    const at = numberOf(given["ts"]);
    if (id === "") return noteSkipped("bad_message", "rocketchat_message");
    if (at === undefined || at <= 0 || at >= endOfTime) return noteSkipped("bad_timestamp", id);
    const type = stringOf(given["t"]);
    if (type !== "") return noteSkipped(type === "e2e" ? "encrypted_message" : "system_message", id);
    const author = recordOf(given["u"]);
    const senderId = stringOf(author["_id"]);
    if (senderId === "") return noteSkipped("bad_message", id);
    if (!people.has(senderId) && !this.#strangers.has(senderId)) {
      this.#strangers.add(senderId);
      yield { stub: unknownPerson(senderId, author) };
    }
    if (given["pinned"] === true) noteSkipped("pin", id);
    yield this.#toMessage(id, at * 1000, given, place, people.get(senderId)?.id ?? senderId);
  }

  #toMessage(id: SourceId, at: number, given: JsonRecord, place: RoomPlace, senderId: SourceId): SourceMessage {
    const { people, lookup, customEmoji, noteSkipped } = this.#context;
    const files = this.#filesOf(given, id);
    const editedAt = numberOf(given["editedAt"]);
    const starredBy = recordsOf(given["starred"])
      .map((each) => people.get(stringOf(each["_id"]))?.id)
      .filter((person) => person !== undefined);
    const reactions = Object.entries(recordOf(given["reactions"])).map(([name, reaction]) => ({
      name: name.replaceAll(/^:|:$/g, ""),
      people: stringsOf(recordOf(reaction)["usernames"]).map((username) => lookup.personId(username)),
    }));
    const read = reactions.length === 0 ? undefined : readReactions(id, reactions, customEmoji, noteSkipped);
    return {
      id,
      ...place,
      senderId,
      at,
      text: bodyOf(given, files, lookup),
      ...(editedAt === undefined ? {} : { editedAt: editedAt * 1000 }),
      ...(read === undefined ? {} : { reactions: read }),
      ...(starredBy.length === 0 ? {} : { starredBy }),
      ...(place.channelId === undefined ? {} : this.#threadOf(id, at, given, files)),
    };
  }

  #threadOf(id: SourceId, at: number, given: JsonRecord, files: readonly SourceFile[]): Partial<SourceMessage> {
    const rootId = stringOf(given["tmid"]);
    if (rootId === "" && (numberOf(given["tcount"]) ?? 0) === 0) return {};
    const [attachment] = recordsOf(given["attachments"]);
    const texts = [stringOf(given["msg"])];
    if (attachment !== undefined && files.length === 0)
      texts.push(stringOf(attachment["title"]) || stringOf(attachment["fallback"]));
    return {
      threadId: rootId === "" ? id : rootId,
      // The dump does not say when a root that is missing was written.
      threadAt: at,
      threadName: threadName({
        texts: texts.map((text) => toPlain(text, this.#context.lookup)),
        fileNames: files.slice(0, 1).map(({ name }) => name),
        at,
      }),
      ...(rootId !== "" && given["tshow"] === true ? { isBroadcast: true } : {}),
    };
  }

  #filesOf(given: JsonRecord, messageId: SourceId): SourceFile[] {
    const files = recordsOf(given["files"]).filter((file) => !stringOf(file["name"]).startsWith("thumb-"));
    const single = recordOf(given["file"]);
    if (files.length === 0 && typeof single["_id"] === "string") files.push(single);
    return files.map((file) => {
      const id = stringOf(file["_id"]);
      const name = fileName([stringOf(file["name"])], id);
      const type = stringOf(file["type"]);
      const upload = this.#context.uploadOf(id);
      if (upload === undefined) this.#context.noteSkipped("file_not_in_archive", id || messageId);
      return { ...upload, name, ...(type === "" ? {} : { type }) };
    });
  }
}

const unknownPerson = (id: SourceId, author: JsonRecord): SourcePerson => ({
  id,
  kind: "person",
  name: personName([stringOf(author["name"]), stringOf(author["username"])], `Unknown Rocket.Chat user ${id}`),
  role: 400,
  isActive: false,
  isListed: false,
});

function bodyOf(given: JsonRecord, files: readonly SourceFile[], lookup: RocketLookup): SourceText {
  const marks = new Marks();
  const write = (text: unknown): string => toMarkdown(stringOf(text), marks, lookup);
  const sections = [
    write(given["msg"]).replace(command, () => marks.add("&#47;")),
    ...recordsOf(given["attachments"]).map((attachment) => attachmentOf(attachment, write, marks)),
    files.map((file) => marks.add({ kind: "file", file })).join("\n"),
  ].filter((section) => section !== "");
  return sections.length === 0 ? ["(no text)"] : marks.expand(literal(sections.join("\n\n")));
}

function attachmentOf(attachment: JsonRecord, write: (text: unknown) => string, marks: Marks): string {
  // A file: only what was written about it, because the file itself follows.
  if (attachment["type"] === "file") return write(attachment["description"]);
  // A message that is quoted.
  if (typeof attachment["message_link"] === "string") {
    const quoted = `${stringOf(attachment["author_name"])}: ${write(attachment["text"])}`;
    return quoted.replaceAll(/^/gm, () => marks.add("> "));
  }
  const title = stringOf(attachment["title"]);
  const url = stringOf(attachment["title_link"]);
  return [
    write(attachment["pretext"]),
    title === "" ? "" : url === "" ? write(title) : marks.add(link(title, url)),
    write(attachment["text"]),
    ...recordsOf(attachment["fields"]).map(
      (field) => `${applyStyle(write(field["title"]), { bold: true }, marks)}: ${write(field["value"])}`,
    ),
    write(attachment["description"]),
  ]
    .filter((part) => part !== "")
    .join("\n");
}
