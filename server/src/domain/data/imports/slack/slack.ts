/** Slack's export: a zip with lists of people and channels, and a folder for each channel with a file for each day. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { firstNotes } from "../archive/first-notes.ts";
import { isRecord, type JsonRecord } from "../archive/json.ts";
import { jsonItems } from "../archive/json-items.ts";
import {
  ArchiveRefused,
  type NoteSkipped,
  type OpenOptions,
  type Source,
  type SourceId,
  type SourcePerson,
} from "../source.ts";
import { findAvatars, findFiles } from "./files.ts";
import type { SlackLookup } from "./lookup.ts";
import { MessageReader } from "./messages.ts";
import { SlackPeople, unknownPerson } from "./people.ts";
import { type Place, SlackPlaces } from "./places.ts";

const userLists = ["users.json", "org_users.json"];
const placeLists = ["channels.json", "groups.json", "mpims.json", "dms.json"];

/** The folder of the archive with the lists, with a slash at its end; undefined if this is not an export of Slack. */
export function findSlackRoot(archive: Archive): string | undefined {
  const roots = ["", ...firstFolders(archive)];
  return roots.find(
    (root) =>
      has(archive, root, userLists) && has(archive, root, placeLists) && !archive.files.has(`${root}realm.json`),
  );
}

function firstFolders(archive: Archive): Set<string> {
  const folders = new Set<string>();
  for (const name of archive.files.keys()) {
    const slash = name.indexOf("/");
    if (slash !== -1) folders.add(name.slice(0, slash + 1));
  }
  return folders;
}

const has = (archive: Archive, root: string, names: readonly string[]): boolean =>
  names.some((name) => archive.files.has(root + name));

export async function openSlack(archive: Archive, root: string, options: OpenOptions): Promise<Source> {
  const noteFor = firstNotes(options.noteSkipped);
  const canFetch = options.canFetch ?? (() => false);
  const customEmoji = options.customEmoji ?? new Set<string>();
  const people = new SlackPeople(findAvatars(archive), Date.now() / 1000);
  for (const list of userLists) for await (const user of listItems(archive, root + list)) people.addListed(user);

  const places = new SlackPlaces();
  const strangers = new Map<SourceId, SourcePerson>();
  const lookup: SlackLookup = {
    personId: (id) => people.find(id)?.id,
    personName: (id) => people.find(id)?.name,
    channelName: (id) => places.channelName(id),
  };
  const strangerId = (id: string): SourceId => {
    if (!strangers.has(id)) strangers.set(id, unknownPerson(id, {}));
    return id;
  };
  for (const [list, isPrivate] of [
    ["channels.json", false],
    ["groups.json", true],
  ] as const)
    for await (const channel of listItems(archive, root + list)) places.addChannel(channel, isPrivate, lookup);
  for (const list of ["mpims.json", "dms.json"])
    for await (const direct of listItems(archive, root + list)) places.addDirect(direct, lookup, strangerId);

  const fileEntries = findFiles(archive);

  return {
    name: "slack",
    async *people() {
      yield* people.listed;
      yield* strangers.values();
    },
    async *channels() {
      const noteSkipped = noteFor("channels");
      for (const pin of places.pins) noteSkipped("pin", pin);
      yield* places.channels;
    },
    async *directs() {
      yield* places.directs;
    },
    async *emoji() {
      // Slack's exports contain none.
    },
    async *messages() {
      const noteSkipped = noteFor("messages");
      const reader = new MessageReader({ people, lookup, fileEntries, canFetch, customEmoji, noteSkipped });
      for (const { entry, place } of dayFiles(archive, root, places, noteSkipped))
        for await (const items of readDay(archive, entry, noteSkipped))
          for (const item of items) yield* reader.read(item, place, entry);
    },
    async *readStates() {
      // Everything is read.
    },
    async *followers() {
      // Slack does not export them.
    },
    readFile: async ({ entry }) => (entry === undefined ? undefined : archive.stream(entry)),
    close: () => archive.close(),
  };
}

/** The records of one of the lists, which have to be readable. */
async function* listItems(archive: Archive, name: string): AsyncGenerator<JsonRecord> {
  if (!archive.files.has(name)) return;
  try {
    for await (const items of jsonItems(await archive.stream(name)))
      for (const { value } of items) if (isRecord(value)) yield value;
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new ArchiveRefused(`${name} cannot be read (${error.message}). Export again, or download the export again.`, {
      cause: error,
    });
  }
}

const dayFile = /^(.+)\/\d{4}-\d{2}-\d{2}\.json$/;

function* dayFiles(
  archive: Archive,
  root: string,
  places: SlackPlaces,
  noteSkipped: NoteSkipped,
): Generator<{ entry: string; place: Place }> {
  const unknown = new Set<string>();
  for (const entry of archive.files.keys()) {
    const folder = entry.startsWith(root) ? dayFile.exec(entry.slice(root.length))?.[1] : undefined;
    if (folder === undefined) continue;
    const place = places.inFolder(folder);
    if (place !== undefined) yield { entry, place };
    else if (!unknown.has(folder)) {
      unknown.add(folder);
      noteSkipped("unknown_channel", folder);
    }
  }
}

/** Larger files are read message by message. */
const smallDay = 4 * 1024 * 1024;

async function* readDay(archive: Archive, entry: string, noteSkipped: NoteSkipped): AsyncGenerator<readonly unknown[]> {
  try {
    if ((archive.files.get(entry)?.size ?? 0) <= smallDay) {
      const messages: unknown = JSON.parse((await archive.read(entry, smallDay)).toString("utf8"));
      if (Array.isArray(messages)) yield messages;
      else noteSkipped("broken_file", entry);
      return;
    }
    for await (const items of jsonItems(await archive.stream(entry))) yield items.map(({ value }) => value);
  } catch (error) {
    if (!(error instanceof BrokenFile) && !(error instanceof SyntaxError)) throw error;
    noteSkipped("broken_file", entry);
  }
}
