/** Our own export of an organization, to move it to another server or to merge it into another organization. */
import { type Archive, BrokenFile } from "../archive/archive.ts";
import { firstNotes } from "../archive/first-notes.ts";
import { numberOf, recordOf, stringOf } from "../archive/json.ts";
import {
  ArchiveRefused,
  type NoteSkipped,
  type OpenOptions,
  type Source,
  type SourceEmoji,
  type SourceFile,
  type SourceId,
} from "../source.ts";
import type { ZulipTextContext } from "../zulip/text.ts";
import { authorOf, extrasOf, placeOf } from "./extras.ts";
import { Flags } from "./flags.ts";
import { SkeinGroups } from "./groups.ts";
import { readMessages } from "./messages.ts";
import { readOrganization } from "./organization.ts";
import { SkeinPeople } from "./people.ts";
import { SkeinPlaces } from "./places.ts";
import { type ExportFiles, listOf, rowsOf, toSeconds } from "./rows.ts";
import { SkeinTopics } from "./topics.ts";

const rootOfExport = /^((?:[^/]+\/)?)organization-000001\.json$/;

/** The folder with the lists, with a slash at its end, or empty; undefined if this is not our export. */
export function findSkeinRoot(archive: Archive): string | undefined {
  for (const name of archive.files.keys()) {
    const root = rootOfExport.exec(name)?.[1];
    if (root !== undefined && archive.files.has(`${root}users-000001.json`)) return root;
  }
  return undefined;
}

const ignore: NoteSkipped = () => undefined;
const knownVersion = 1;

export async function openSkein(archive: Archive, root: string, options: OpenOptions): Promise<Source> {
  const files: ExportFiles = { archive, root };
  await checkSummary(files);
  const noteFor = firstNotes(options.noteSkipped);
  const people = await SkeinPeople.read(files);
  const groups = await SkeinGroups.read(files, people);
  const places = await SkeinPlaces.read(files, people, groups);
  const uploads = await Uploads.read(files, people);
  const emoji = await listOf(files, "emoji");
  const emojiNames = new Map(emoji.map((row) => [String(row["id"]), stringOf(row["name"])]));
  const [organization] = await listOf(files, "organization");
  const textContext = (noteSkipped: NoteSkipped): ZulipTextContext => ({
    isPerson: (id) => people.idOf(id) !== undefined,
    personByName: (name) => people.byName(name),
    isChannel: (id) => places.hasChannel(id),
    channelByName: (name) => places.channelByName(name),
    upload: (path, name) => uploads.find(path, name, noteSkipped),
  });

  return {
    name: "skein",
    organization: stringOf(organization?.["name"]),
    origin: `${String(organization?.["id"])} ${String(organization?.["date_created"])}`,
    async *people() {
      yield* people.listed;
    },
    async *channels() {
      yield* places.channels;
    },
    async *directs() {
      // A message may be scheduled to people who have not written to each other yet.
      for await (const row of rowsOf(files, "scheduled_messages")) placeOf(row, people, places);
      yield* places.directs;
    },
    async *emoji() {
      for (const row of emoji) {
        const entry = `${root}files/emoji/${stringOf(row["file_name"])}`;
        const size = archive.files.get(entry)?.size;
        if (size === undefined) continue;
        yield {
          id: String(row["id"]),
          name: stringOf(row["name"]),
          image: { entry, name: stringOf(row["file_name"]), size },
          isDeactivated: row["deactivated"] === true,
          ...authorOf(row, people),
        } satisfies SourceEmoji;
      }
    },
    async *messages() {
      const noteSkipped = noteFor("messages");
      const text = textContext(noteSkipped);
      const topics = await SkeinTopics.read(files, people);
      const flags = await Flags.read(rowsOf(files, "message_flags"));
      yield* readMessages({ files, people, places, topics, flags, text, emojiNames, noteSkipped });
    },
    async *readStates() {
      // Messages say who has not read them.
    },
    async *followers() {
      // `topicVisibility` says who follows what.
    },
    extras: {
      organization: () => readOrganization(organization ?? {}, groups, files),
      ...extrasOf({ files, people, places, groups, text: textContext(ignore) }),
      async *files() {
        yield* uploads.owned();
      },
    },
    readFile: async ({ entry }) =>
      entry !== undefined && archive.files.has(entry) ? archive.stream(entry) : undefined,
    close: () => archive.close(),
  };
}

/** The last file of an export says that it is complete, and how to read it. */
async function checkSummary({ archive, root }: ExportFiles): Promise<void> {
  const entry = `${root}export.json`;
  if (!archive.files.has(entry))
    throw new ArchiveRefused("The export is not complete: export.json is missing. Export again, or download it again.");
  const summary = recordOf(await parsed(archive, entry));
  if (summary["format"] === "skein-export" && summary["version"] === knownVersion) return;
  throw new ArchiveRefused(
    `The export has a format that this release does not know (${String(summary["format"])}, version ` +
      `${String(summary["version"])}). Import it with release ${String(summary["release"])} or a later one.`,
  );
}

const maxSummaryBytes = 64 * 1024 * 1024;

async function parsed(archive: Archive, entry: string): Promise<unknown> {
  try {
    return JSON.parse((await archive.read(entry, maxSummaryBytes)).toString("utf8"));
  } catch (error) {
    if (!(error instanceof BrokenFile) && !(error instanceof SyntaxError)) throw error;
    throw new ArchiveRefused(
      `${entry} cannot be read (${error.message}). Export again, or download the export again.`,
      {
        cause: error,
      },
    );
  }
}

type OwnedFile = SourceFile & { entry: string; ownerId: SourceId };

/** Uploaded files by their paths below /user_uploads/. */
class Uploads {
  readonly #files = new Map<string, SourceFile>();

  static async read(files: ExportFiles, people: SkeinPeople): Promise<Uploads> {
    const uploads = new Uploads();
    const folder = "files/uploads/";
    for await (const row of rowsOf(files, "attachments")) {
      const path = stringOf(row["file"]);
      const entry = `${files.root}${path}`;
      if (!path.startsWith(folder)) continue;
      const [name, type, size] = [stringOf(row["file_name"]), stringOf(row["content_type"]), numberOf(row["size"])];
      const isThere = files.archive.files.has(entry);
      const [ownerId, createdAt] = [people.idOf(row["owner_id"]), toSeconds(row["created_at"])];
      uploads.#files.set(path.slice(folder.length), {
        ...(isThere ? { entry } : {}),
        name,
        ...(type === "" ? {} : { type }),
        ...(size === undefined ? {} : { size }),
        ...(ownerId === undefined ? {} : { ownerId }),
        ...(createdAt === undefined ? {} : { createdAt }),
      });
    }
    return uploads;
  }

  *owned(): Generator<OwnedFile> {
    for (const { entry, ownerId, ...file } of this.#files.values())
      if (entry !== undefined && ownerId !== undefined) yield { ...file, entry, ownerId };
  }

  find(path: string, text: string, noteSkipped: NoteSkipped): SourceFile {
    const file = this.#files.get(path);
    if (file?.entry !== undefined) return file;
    noteSkipped("file_not_in_archive", path);
    return { name: text === "" ? (file?.name ?? path.split("/").at(-1) ?? "file") : text };
  }
}
