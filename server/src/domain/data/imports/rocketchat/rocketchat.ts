/** The dump of a Rocket.Chat database: a folder with a file of BSON for each collection. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { firstNotes } from "../archive/first-notes.ts";
import { type JsonRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { channelName, fileName, personName } from "../names/stored-name.ts";
import { distinctName, shortenName, tidyLine } from "../names/topic-name.ts";
import {
  ArchiveRefused,
  type OpenOptions,
  type Source,
  type SourceChannel,
  type SourceDirect,
  type SourceEmoji,
  type SourceId,
  type SourcePerson,
} from "../source.ts";
import { cleanText } from "../text/marks.ts";
import { customEmojiName } from "../text/reactions.ts";
import { bsonDocuments } from "./bson.ts";
import { GridFiles } from "./grid-files.ts";
import { RocketReader, type RoomPlace } from "./messages.ts";

const messageFile = /^((?:[^/]+\/){0,2})rocketchat_message\.bson(\.gz)?$/;

/** The folder of the dump, with a slash at its end; undefined if this is not a dump of Rocket.Chat. */
export function findRocketChatRoot(archive: Archive): string | undefined {
  for (const name of archive.files.keys()) {
    const [found, root = "", isCompressed] = messageFile.exec(name) ?? [];
    if (found === undefined) continue;
    if (isCompressed !== undefined)
      throw new ArchiveRefused(
        "The files of this dump are compressed. Dump without --gzip, or run gunzip on them first.",
      );
    if (archive.readRange === undefined)
      throw new ArchiveRefused("This is a packed dump of Rocket.Chat. Unpack it, and import the folder.");
    return root;
  }
  return undefined;
}

const uploads = "upload:";
const emojiFiles = "emoji:";
const avatarFiles = "avatar:";

export async function openRocketChat(archive: Archive, root: string, options: OpenOptions): Promise<Source> {
  const noteFor = firstNotes(options.noteSkipped);
  const [uploadFiles, emojiPieces, avatarPieces] = [
    await GridFiles.open(archive, `${root}rocketchat_uploads.chunks.bson`),
    await GridFiles.open(archive, `${root}custom_emoji.chunks.bson`),
    await GridFiles.open(archive, `${root}rocketchat_avatars.chunks.bson`),
  ];
  const people = new People();
  for await (const user of collection(archive, root, "users")) people.add(user);
  for await (const avatar of collection(archive, root, "rocketchat_avatars")) {
    const id = stringOf(avatar["_id"]);
    const size = avatarPieces.sizeOf(id);
    const person = people.find(stringOf(avatar["userId"])) ?? people.findByUsername(stringOf(avatar["name"]));
    if (person !== undefined && size !== undefined)
      person.avatar = { entry: avatarFiles + id, name: fileName([stringOf(avatar["name"])], "avatar"), size };
  }

  const rooms = new Rooms(people);
  const members = new Map<SourceId, Set<SourceId>>();
  for await (const subscription of collection(archive, root, "rocketchat_subscription")) {
    const person = people.find(stringOf(recordOf(subscription["u"])["_id"]));
    if (person === undefined) continue;
    const rid = stringOf(subscription["rid"]);
    const list = members.get(rid) ?? new Set();
    members.set(rid, list.add(person.id));
  }
  const given: JsonRecord[] = [];
  for await (const room of collection(archive, root, "rocketchat_room")) given.push(room);
  rooms.addAll(given, members);

  const emoji: SourceEmoji[] = [];
  for await (const each of collection(archive, root, "rocketchat_custom_emoji")) {
    const id = `${stringOf(each["name"])}.${stringOf(each["extension"])}`;
    const size = emojiPieces.sizeOf(id);
    const name = customEmojiName(stringOf(each["name"]));
    if (size !== undefined && name !== "") emoji.push({ name, image: { entry: emojiFiles + id, name: id, size } });
  }
  const customEmoji = new Set([...(options.customEmoji ?? []), ...emoji.map(({ name }) => name)]);
  const lookup = {
    personId: (username: string) => people.findByUsername(username)?.id,
    personName: (username: string) => people.findByUsername(username)?.name,
    channelId: (name: string) => rooms.channelByName(name),
  };

  return {
    name: "rocketchat",
    async *people() {
      yield* people.listed;
    },
    async *channels() {
      const noteSkipped = noteFor("channels");
      for (const id of rooms.passedOver) noteSkipped("unknown_channel", id);
      yield* rooms.channels;
    },
    async *directs() {
      yield* rooms.directs;
    },
    async *emoji() {
      yield* emoji;
    },
    async *messages() {
      const noteSkipped = noteFor("messages");
      const uploadOf = (id: string) => {
        const size = uploadFiles.sizeOf(id);
        return size === undefined ? undefined : { entry: uploads + id, size };
      };
      const reader = new RocketReader({ people: people.byId, lookup, customEmoji, uploadOf, noteSkipped });
      const unknown = new Set(rooms.passedOver);
      const entry = `${root}rocketchat_message.bson`;
      try {
        for await (const documents of bsonDocuments((await archive.stream(entry)) as AsyncIterable<Buffer>))
          for (const { value } of documents) {
            const rid = stringOf(value["rid"]);
            const place = rooms.placeOf(rid);
            if (place !== undefined) yield* reader.read(value, place);
            else if (!unknown.has(rid)) {
              unknown.add(rid);
              noteSkipped("unknown_channel", rid);
            }
          }
      } catch (error) {
        if (!(error instanceof BrokenFile)) throw error;
        noteSkipped("broken_file", entry);
      }
    },
    async *readStates() {
      // Everything is read.
    },
    async *followers() {
      // Nobody follows anything.
    },
    // oxlint-disable-next-line typescript/require-await
    async readFile({ entry = "" }) {
      if (entry.startsWith(uploads)) return uploadFiles.read(entry.slice(uploads.length));
      if (entry.startsWith(emojiFiles)) return emojiPieces.read(entry.slice(emojiFiles.length));
      return entry.startsWith(avatarFiles) ? avatarPieces.read(entry.slice(avatarFiles.length)) : undefined;
    },
    close: () => archive.close(),
  };
}

async function* collection(archive: Archive, root: string, name: string): AsyncGenerator<JsonRecord> {
  const entry = `${root}${name}.bson`;
  if (!archive.files.has(entry)) return;
  try {
    for await (const documents of bsonDocuments((await archive.stream(entry)) as AsyncIterable<Buffer>))
      for (const { value } of documents) yield value;
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new ArchiveRefused(`${entry} cannot be read (${error.message}). Dump the database again.`, { cause: error });
  }
}

class People {
  readonly byId = new Map<SourceId, SourcePerson>();
  readonly #byUsername = new Map<string, SourcePerson>();
  readonly #byEmail = new Map<string, SourcePerson>();

  get listed(): Iterable<SourcePerson> {
    return new Set(this.byId.values());
  }

  find(id: SourceId): SourcePerson | undefined {
    return this.byId.get(id);
  }

  findByUsername(username: string): SourcePerson | undefined {
    return this.#byUsername.get(username);
  }

  add(user: JsonRecord): void {
    const id = stringOf(user["_id"]);
    if (id === "") return;
    const person = toPerson(id, user);
    const email = person.email?.toLowerCase();
    const kept = (email === undefined ? undefined : this.#byEmail.get(email)) ?? person;
    if (email !== undefined) this.#byEmail.set(email, kept);
    this.byId.set(id, kept);
    this.#byUsername.set(stringOf(user["username"]), kept);
  }
}

function toPerson(id: SourceId, user: JsonRecord): SourcePerson {
  const roles = stringsOf(user["roles"]);
  const isBot = user["type"] === "bot" || roles.includes("bot");
  const email = stringOf(recordsOf(user["emails"])[0]?.["address"]).trim();
  const status = cleanText(stringOf(user["statusText"])).trim();
  return {
    id,
    kind: isBot ? "bot" : "person",
    name: personName([stringOf(user["name"]), stringOf(user["username"])], id),
    role: roles.includes("admin") ? 100 : roles.includes("guest") ? 600 : 400,
    isActive: user["active"] !== false,
    isListed: true,
    ...(isBot || !/^[^\s@]+@[^\s@]+$/.test(email) ? {} : { email }),
    ...(status === "" ? {} : { status: { text: status } }),
  };
}

class Rooms {
  readonly channels: SourceChannel[] = [];
  /** Rooms that are not imported: conversations with visitors of a web site. */
  readonly passedOver: SourceId[] = [];
  readonly #directs = new Map<SourceId, SourceDirect>();
  readonly #places = new Map<SourceId, RoomPlace>();
  readonly #byName = new Map<string, SourceId>();
  readonly #people: People;

  constructor(people: People) {
    this.#people = people;
  }

  get directs(): Iterable<SourceDirect> {
    return this.#directs.values();
  }

  placeOf(rid: SourceId): RoomPlace | undefined {
    return this.#places.get(rid);
  }

  channelByName(name: string): SourceId | undefined {
    return this.#byName.get(name);
  }

  addAll(rooms: readonly JsonRecord[], members: ReadonlyMap<SourceId, ReadonlySet<SourceId>>): void {
    const discussions: JsonRecord[] = [];
    for (const room of rooms) {
      const id = stringOf(room["_id"]);
      const isChannel = room["t"] === "c" || room["t"] === "p";
      if (room["t"] === "d") this.#addDirect(id, room);
      else if (isChannel && stringOf(room["prid"]) !== "") discussions.push(room);
      else if (isChannel) this.#addChannel(id, room, [...(members.get(id) ?? [])]);
      else this.passedOver.push(id);
    }
    this.#addDiscussions(discussions);
  }

  #addChannel(id: SourceId, room: JsonRecord, members: readonly SourceId[]): void {
    const name = channelName(stringOf(room["fname"]) || stringOf(room["name"]), id);
    const creatorId = this.#people.find(stringOf(recordOf(room["u"])["_id"]))?.id;
    const createdAt = numberOf(room["ts"]);
    this.channels.push({
      id,
      name,
      description: cleanText(stringOf(room["description"]).trim() || stringOf(room["topic"]).trim()),
      isPrivate: room["t"] === "p",
      isArchived: room["archived"] === true,
      isDefault: room["default"] === true,
      members,
      ...(creatorId === undefined ? {} : { creatorId }),
      ...(createdAt === undefined ? {} : { createdAt: Math.floor(createdAt / 1000) }),
    });
    this.#places.set(id, { channelId: id });
    this.#byName.set(stringOf(room["name"]), id);
  }

  #addDirect(id: SourceId, room: JsonRecord): void {
    const known = stringsOf(room["uids"]).map((each) => this.#people.find(each)?.id);
    const named = stringsOf(room["usernames"]).map((username) => this.#people.findByUsername(username)?.id);
    const members = [...new Set([...known, ...named].filter((each) => each !== undefined))];
    if (members.length === 0) return;
    this.#directs.set(id, { id, members });
    this.#places.set(id, { directId: id });
  }

  /** A discussion is a topic of its parent's channel. A discussion of a discussion belongs to the same channel. */
  #addDiscussions(discussions: readonly JsonRecord[]): void {
    const parents = new Map(discussions.map((room) => [stringOf(room["_id"]), stringOf(room["prid"])]));
    const taken = new Set<string>();
    for (const room of discussions.toSorted((one, other) => createdOf(one) - createdOf(other))) {
      const id = stringOf(room["_id"]);
      let parent = stringOf(room["prid"]);
      for (let depth = 0; depth < 10 && parents.has(parent); depth++) parent = parents.get(parent) ?? "";
      const place = this.#places.get(parent);
      if (place?.channelId === undefined) {
        this.passedOver.push(id);
        continue;
      }
      const { channelId } = place;
      const name = shortenName(tidyLine(stringOf(room["fname"]))) || `discussion ${id}`;
      const topic = distinctName(name, createdOf(room) * 1000, (each) =>
        taken.has(`${channelId}\n${each.toLowerCase()}`),
      );
      taken.add(`${channelId}\n${topic.toLowerCase()}`);
      this.#places.set(id, { channelId, topic });
    }
  }
}

const createdOf = (room: JsonRecord): number => numberOf(room["ts"]) ?? 0;
