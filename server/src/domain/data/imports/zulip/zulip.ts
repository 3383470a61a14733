/** Zulip's export of an organization: tables as JSON, messages in files of a thousand, and folders of files. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { firstNotes } from "../archive/first-notes.ts";
import { isRecord, numberOf, stringOf } from "../archive/json.ts";
import { jsonItems } from "../archive/json-items.ts";
import { fileName } from "../names/stored-name.ts";
import {
  ArchiveRefused,
  notificationBotId,
  type NoteSkipped,
  type OpenOptions,
  type Source,
  type SourceEmoji,
  type SourceExtras,
  type SourceFile,
  type SourceId,
} from "../source.ts";
import { customEmojiName } from "../text/reactions.ts";
import { messageFiles, readMessageFile, readMessages, toMicroseconds } from "./messages.ts";
import { settingsOf, ZulipPeople } from "./people.ts";
import { personalSettings } from "./personal-settings.ts";
import { ZulipPlaces } from "./places.ts";
import { type RealmTables, readTables } from "./tables.ts";
import { toSourceText, type ZulipTextContext } from "./text.ts";

const rootOfExport = /^((?:[^/]+\/)?)realm\.json$/;

/** The folder with the tables, with a slash at its end; undefined if this is not an export of Zulip. */
export function findZulipRoot(archive: Archive): string | undefined {
  for (const name of archive.files.keys()) {
    const root = rootOfExport.exec(name)?.[1];
    if (root !== undefined && archive.files.has(`${root}migration_status.json`)) return root;
  }
  return undefined;
}

const ignore: NoteSkipped = () => undefined;

export async function openZulip(archive: Archive, root: string, options: OpenOptions): Promise<Source> {
  const noteFor = firstNotes(options.noteSkipped);
  const tables = await tablesOf(archive, root);
  const people = new ZulipPeople(tables, await avatarsOf(archive, root));
  const places = new ZulipPlaces(tables, people);
  const emoji = emojiOf(tables, archive, root);
  const emojiNames = new Map(
    tables.rows("zerver_realmemoji").map((row) => [String(row["id"]), customEmojiName(stringOf(row["name"]))]),
  );
  const customEmoji = new Set([...(options.customEmoji ?? []), ...emoji.map(({ name }) => name)]);
  const textContext = (noteSkipped: NoteSkipped): ZulipTextContext => ({
    isPerson: (id) => people.idOf(id) !== undefined,
    personByName: (name) => people.byName(name),
    isChannel: (id) => places.hasChannel(id),
    channelByName: (name) => places.channelByName(name),
    upload: (path, name) => {
      const entry = `${root}uploads/${decodePath(path)}`;
      const size = archive.files.get(entry)?.size;
      const shown = fileName([name, path], "file");
      if (size !== undefined) return { entry, name: shown, size };
      noteSkipped("file_not_in_archive", path);
      return { name: shown };
    },
  });

  return {
    name: "zulip",
    organization: stringOf(tables.rows("zerver_realm")[0]?.["name"]),
    origin: `${String(tables.rows("zerver_realm")[0]?.["id"])} ${String(tables.rows("zerver_realm")[0]?.["date_created"])}`,
    async *people() {
      yield* people.listed;
    },
    async *channels() {
      yield* places.channels;
    },
    async *directs() {
      // Conversations of two people in the older form are named only by their messages.
      if (places.hasPersonal) await findPersonal(archive, root, people, places);
      yield* places.directs;
    },
    async *emoji() {
      yield* emoji;
    },
    messages() {
      const noteSkipped = noteFor("messages");
      const text = textContext(noteSkipped);
      return readMessages({ archive, root, tables, people, places, text, customEmoji, emojiNames, noteSkipped });
    },
    async *readStates() {
      // Messages say who has not read them.
    },
    async *followers() {
      // `topicVisibility` says who follows what.
    },
    extras: extrasOf(tables, people, places, textContext(ignore)),
    readFile: async ({ entry }) => (entry === undefined ? undefined : archive.stream(entry)),
    close: () => archive.close(),
  };
}

async function tablesOf(archive: Archive, root: string): Promise<RealmTables> {
  try {
    return await readTables(archive, `${root}realm.json`);
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error;
    throw new ArchiveRefused(
      `${root}realm.json cannot be read (${error.message}). Export again, or download the export again.`,
      {
        cause: error,
      },
    );
  }
}

const decodePath = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** By ids of people: the original picture if it is there. */
async function avatarsOf(archive: Archive, root: string): Promise<Map<SourceId, SourceFile>> {
  const avatars = new Map<SourceId, SourceFile>();
  const list = `${root}avatars/records.json`;
  if (!archive.files.has(list)) return avatars;
  for await (const items of jsonItems((await archive.stream(list)) as AsyncIterable<Buffer>))
    for (const { value } of items) {
      if (!isRecord(value)) continue;
      const path = stringOf(value["path"]);
      const entry = `${root}avatars/${path}`;
      const size = archive.files.get(entry)?.size;
      const id = String(value["user_profile_id"]);
      if (size !== undefined && (path.endsWith(".original") || !avatars.has(id)))
        avatars.set(id, { entry, name: fileName([path], "avatar"), size });
    }
  return avatars;
}

/** Those with a picture that are still in use. */
function emojiOf(tables: RealmTables, archive: Archive, root: string): SourceEmoji[] {
  return tables.rows("zerver_realmemoji").flatMap((row) => {
    const name = customEmojiName(stringOf(row["name"]));
    const path = `${root}emoji/${String(row["realm"])}/emoji/images/${stringOf(row["file_name"])}`;
    const entry = [`${path}.original`, path].find((each) => archive.files.has(each));
    if (row["deactivated"] === true || name === "" || entry === undefined) return [];
    const image = { entry, name: stringOf(row["file_name"]), size: archive.files.get(entry)?.size ?? 0 };
    return [{ name, image }];
  });
}

async function findPersonal(archive: Archive, root: string, people: ZulipPeople, places: ZulipPlaces): Promise<void> {
  for (const entry of messageFiles(archive, root)) {
    const see = (_key: string, row: unknown): void => {
      const senderId = isRecord(row) ? people.idOf(row["sender"]) : undefined;
      if (isRecord(row) && senderId !== undefined) places.placeOf(row["recipient"], senderId);
    };
    await readMessageFile(archive, entry, new Set(["zerver_message"]), see, ignore);
  }
}

function extrasOf(tables: RealmTables, people: ZulipPeople, places: ZulipPlaces, text: ZulipTextContext): SourceExtras {
  const knownPeople = (numbers: readonly unknown[]): SourceId[] =>
    numbers
      .map((number) => people.idOf(number))
      .filter((id) => id !== undefined && id !== notificationBotId) as SourceId[]; // the others are left out
  return {
    async *groups() {
      const members = Map.groupBy(tables.rows("zerver_usergroupmembership"), (row) => row["user_group"]);
      const subgroups = Map.groupBy(tables.rows("zerver_groupgroupmembership"), (row) => row["supergroup"]);
      // Groups without a name are values of settings, and those of roles exist everywhere.
      const groups = tables.rows("zerver_namedusergroup").filter((row) => row["is_system_group"] !== true);
      const ids = new Set(groups.map((row) => row["id"] ?? row["usergroup_ptr"]));
      for (const row of groups) {
        const id = row["id"] ?? row["usergroup_ptr"];
        yield {
          id: String(id),
          name: stringOf(row["name"]),
          description: stringOf(row["description"]),
          isActive: row["deactivated"] !== true,
          members: knownPeople((members.get(id) ?? []).map((each) => each["user_profile"])),
          subgroups: (subgroups.get(id) ?? [])
            .map((each) => each["subgroup"])
            .filter((subgroup) => ids.has(subgroup))
            .map(String),
        };
      }
    },
    async *linkifiers() {
      for (const row of tables.rows("zerver_realmfilter").toSorted((one, other) => orderOf(one) - orderOf(other)))
        yield { pattern: stringOf(row["pattern"]), urlTemplate: stringOf(row["url_template"]) };
    },
    async *profileFields() {
      for (const row of tables
        .rows("zerver_customprofilefield")
        .toSorted((one, other) => orderOf(one) - orderOf(other)))
        yield {
          name: stringOf(row["name"]),
          type: numberOf(row["field_type"]) ?? 1,
          hint: stringOf(row["hint"]),
          data: stringOf(row["field_data"]),
        };
    },
    async *scheduledMessages() {
      for (const row of tables.rows("zerver_scheduledmessage")) {
        const senderId = people.idOf(row["sender"]);
        const at = numberOf(row["scheduled_timestamp"]);
        const place = senderId === undefined ? undefined : places.placeOf(row["recipient"], senderId);
        // Reminders are of another type.
        const isMessage = numberOf(row["delivery_type"]) === 1 || row["delivery_type"] === undefined;
        if (senderId === undefined || place === undefined || at === undefined) continue;
        if (row["delivered"] === true || row["failed"] === true || !isMessage) continue;
        yield {
          id: String(row["id"]),
          senderId,
          ...place,
          ...(place.channelId === undefined ? {} : { topic: stringOf(row["subject"]) }),
          text: toSourceText(stringOf(row["content"]), text),
          at: toMicroseconds(at),
        };
      }
    },
    async *topicVisibility() {
      for (const row of tables.rows("zerver_usertopic")) {
        const personId = people.idOf(row["user_profile"]);
        const channelId = String(row["stream"]);
        const policy = numberOf(row["visibility_policy"]);
        if (personId === undefined || !places.hasChannel(channelId)) continue;
        if (policy === 1 || policy === 2 || policy === 3)
          yield { personId, channelId, topic: stringOf(row["topic_name"]), policy };
      }
    },
    async *personal() {
      const alertWords = Map.groupBy(tables.rows("zerver_alertword"), (row) => row["user_profile"]);
      const muted = Map.groupBy(tables.rows("zerver_muteduser"), (row) => row["user_profile"]);
      const snippets = Map.groupBy(tables.rows("zerver_savedsnippet"), (row) => row["user_profile"]);
      for (const row of tables.rows("zerver_userprofile")) {
        const personId = people.idOf(row["id"]);
        if (personId === undefined || row["is_bot"] === true) continue;
        yield {
          personId,
          alertWords: (alertWords.get(row["id"]) ?? []).map((each) => stringOf(each["word"])),
          mutedPeople: knownPeople((muted.get(row["id"]) ?? []).map((each) => each["muted_user"])),
          snippets: (snippets.get(row["id"]) ?? []).map((each) => ({
            title: stringOf(each["title"]),
            content: stringOf(each["content"]),
            text: toSourceText(stringOf(each["content"]), text),
          })),
          settings: settingsOf(row, personalSettings),
        };
      }
    },
  };
}

const orderOf = (row: { readonly [key: string]: unknown }): number => numberOf(row["order"]) ?? 0;
