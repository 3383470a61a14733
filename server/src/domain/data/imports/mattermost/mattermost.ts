/**
 * Mattermost's bulk export: a file with one JSON object a line, and a folder with files. Its lines are in no order that can
 * be relied on, so it is read through once for everything but posts when it is opened.
 */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { firstNotes } from "../archive/first-notes.ts";
import { isRecord, type JsonRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { lines } from "../archive/lines.ts";
import { ArchiveRefused, type NoteSkipped, type OpenOptions, type Source, type SourceEmoji } from "../source.ts";
import { customEmojiName } from "../text/reactions.ts";
import type { MattermostLookup } from "./lookup.ts";
import { MattermostPeople } from "./people.ts";
import { channelIdOf, MattermostPlaces, membershipsOf, participantsOf, toMicroseconds } from "./places.ts";
import { postId, PostReader } from "./posts.ts";

const listFile = /^(?:[^/]+\/)?[^/]+\.jsonl$/;

/** The file with the lines; undefined if this is not an export of Mattermost. */
export const findMattermostLines = (archive: Archive): string | undefined =>
  [...archive.files.keys()].find((name) => listFile.test(name));

const lineStart = /^\s*\{\s*"type"\s*:\s*"(\w+)"/;

/** The type of a line, without parsing it. */
const typeOf = (line: Buffer): string | undefined => lineStart.exec(line.toString("latin1", 0, 60))?.[1];

/** The content of lines of some types. Lines that cannot be read are noted. */
async function* readLines(
  archive: Archive,
  entry: string,
  types: ReadonlySet<string>,
  noteSkipped: NoteSkipped,
  seeOther?: (line: Buffer, type: string) => void,
): AsyncGenerator<{ type: string; value: JsonRecord }> {
  let number = 0;
  try {
    for await (const some of lines((await archive.stream(entry)) as AsyncIterable<Buffer>))
      for (const line of some) {
        number++;
        const type = line === undefined ? undefined : typeOf(line);
        if (line !== undefined && type !== undefined && !types.has(type)) {
          seeOther?.(line, type);
          continue;
        }
        const parsed = line === undefined ? undefined : parse(line);
        if (parsed === undefined) noteSkipped("bad_message", `${entry}:${number}`);
        else if (types.has(stringOf(parsed["type"])))
          yield { type: stringOf(parsed["type"]), value: recordOf(parsed[stringOf(parsed["type"])]) };
      }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    noteSkipped("broken_file", entry);
  }
}

function parse(line: Buffer | string): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const lists: ReadonlySet<string> = new Set(["version", "team", "channel", "user", "bot", "emoji", "direct_channel"]);
const posts: ReadonlySet<string> = new Set(["post", "direct_post"]);

const directMembers = /"channel_members":\s*\[[^\]]*\]/;

export async function openMattermost(archive: Archive, entry: string, options: OpenOptions): Promise<Source> {
  await checkVersion(archive, entry);
  const noteFor = firstNotes(options.noteSkipped);
  const filesRoot = `${entry.slice(0, entry.lastIndexOf("/") + 1)}data/`;
  const people = new MattermostPeople(archive, filesRoot);
  const places = new MattermostPlaces();
  const emoji: SourceEmoji[] = [];
  const idOf = (username: string): string => people.find(username)?.id ?? username.toLowerCase();

  /** Conversations may be missing in the list. Only the beginning of a direct post is looked at. */
  const directs = new Set<string>();
  const seePost = (line: Buffer, type: string): void => {
    const members = type === "direct_post" ? directMembers.exec(line.toString("utf8", 0, 4096))?.[0] : undefined;
    if (members !== undefined) directs.add(`{${members}}`);
  };
  for await (const { type, value } of readLines(archive, entry, lists, () => undefined, seePost)) {
    if (type === "team") places.addTeam(value);
    else if (type === "channel") places.addChannel(value);
    else if (type === "user") {
      people.addUser(value);
      for (const { channelId } of membershipsOf(value)) places.addMember(channelId, idOf(stringOf(value["username"])));
    } else if (type === "bot") people.addBot(value);
    else if (type === "emoji") addEmoji(value);
    else if (type === "direct_channel") places.addDirect(participantsOf(value).map(({ username }) => idOf(username)));
  }
  for (const members of directs) places.addDirect(stringsOf(parse(members)?.["channel_members"]).map(idOf));

  const customEmoji = new Set([...(options.customEmoji ?? []), ...emoji.map(({ name }) => name)]);
  const lookup: MattermostLookup = {
    personId: (username) => people.find(username)?.id,
    personName: (username) => people.find(username)?.name,
    channelId: (team, name) => (places.hasChannel(channelIdOf(team, name)) ? channelIdOf(team, name) : undefined),
    channelName: (id) => places.nameOf(id),
    isCustomEmoji: (name) => customEmoji.has(customEmojiName(name)),
  };
  function addEmoji(given: JsonRecord): void {
    const path = filesRoot + stringOf(given["image"]);
    const size = archive.files.get(path)?.size;
    const name = customEmojiName(stringOf(given["name"]));
    if (size !== undefined && name !== "") emoji.push({ name, image: { entry: path, name, size } });
  }

  return {
    name: "mattermost",
    async *people() {
      const noteSkipped = noteFor("people");
      for (const id of people.withoutPicture) noteSkipped("avatar_not_in_archive", id);
      yield* people.listed;
    },
    async *channels() {
      yield* places.channels();
    },
    async *directs() {
      yield* places.directs;
    },
    async *emoji() {
      yield* emoji;
    },
    async *messages() {
      const noteSkipped = noteFor("messages");
      const reader = new PostReader({ archive, filesRoot, people, lookup, customEmoji, noteSkipped });
      const unknown = new Set<string>();
      for await (const { type, value } of readLines(archive, entry, posts, noteSkipped)) {
        const team = stringOf(value["team"]);
        if (type === "direct_post") {
          const directId = places.addDirect(stringsOf(value["channel_members"]).map(idOf));
          if (directId === undefined) noteSkipped("bad_message", entry);
          else yield* reader.read(value, { directId }, team);
          continue;
        }
        const channelId = channelIdOf(team, stringOf(value["channel"]));
        if (places.hasChannel(channelId)) yield* reader.read(value, { channelId }, team);
        else if (!unknown.has(channelId)) {
          unknown.add(channelId);
          noteSkipped("unknown_channel", channelId);
        }
      }
    },
    async *readStates() {
      for await (const { type, value } of readLines(
        archive,
        entry,
        new Set(["user", "direct_channel", "post"]),
        () => undefined,
      )) {
        if (type === "user") {
          const personId = idOf(stringOf(value["username"]));
          for (const membership of membershipsOf(value))
            if (membership.readUntil > 0) yield { personId, ...membership };
        } else if (type === "direct_channel") {
          const participants = participantsOf(value);
          const directId = places.addDirect(participants.map(({ username }) => idOf(username)));
          for (const { username, readUntil } of participants)
            if (directId !== undefined && readUntil > 0) yield { personId: idOf(username), directId, readUntil };
        } else
          for (const { personId, threadId, readUntil } of followersOf(value, lookup))
            if (readUntil > 0) yield { personId, threadId, readUntil };
      }
    },
    async *followers() {
      for await (const { value } of readLines(archive, entry, new Set(["post"]), () => undefined))
        for (const { personId, threadId } of followersOf(value, lookup)) yield { personId, threadId };
    },
    readFile: async (file) => (file.entry === undefined ? undefined : archive.stream(file.entry)),
    close: () => archive.close(),
  };
}

/** The first line says that this is a bulk export. */
async function checkVersion(archive: Archive, entry: string): Promise<void> {
  for await (const { value } of readFirst(archive, entry)) {
    if (value["type"] === "version" && numberOf(value["version"]) === 1) return;
    break;
  }
  throw new ArchiveRefused(
    `${entry} is not a bulk export of Mattermost of version 1. Export with "mmctl export create" and download the zip file.`,
  );
}

async function* readFirst(archive: Archive, entry: string): AsyncGenerator<{ value: JsonRecord }> {
  for await (const some of lines((await archive.stream(entry)) as AsyncIterable<Buffer>)) {
    const [line] = some;
    yield { value: (line === undefined ? undefined : parse(line)) ?? {} };
    return;
  }
}

function* followersOf(post: JsonRecord, lookup: MattermostLookup) {
  if (recordsOf(post["replies"]).length === 0) return;
  const threadId = postId(channelIdOf(stringOf(post["team"]), stringOf(post["channel"])), post);
  for (const follower of recordsOf(post["thread_followers"])) {
    const personId = lookup.personId(stringOf(follower["user"]));
    if (personId !== undefined) yield { personId, threadId, readUntil: toMicroseconds(follower["last_viewed"]) };
  }
}
