/** The channels and direct conversations of our own export, and who received and read what in them. */
import { type JsonRecord, numberOf, recordOf, stringOf } from "../archive/json.ts";
import type { SourceChannel, SourceDirect, SourceId } from "../source.ts";
import { channelPermissionNames } from "../../../organization/permissions/channel-permissions.ts";
import type { SkeinGroups } from "./groups.ts";
import type { SkeinPeople } from "./people.ts";
import { type ExportFiles, listOf, rowsOf, toSeconds } from "./rows.ts";

/** What one person received and read in a conversation, as it is written in the export. */
export interface Reading {
  personId: SourceId;
  /** Whether the person is subscribed now. */
  isMember: boolean;
  /** Undefined if the person did not agree to its export. */
  received: string | undefined;
  read: string | undefined;
}

export class SkeinPlaces {
  readonly channels: SourceChannel[];
  readonly #channelIds: ReadonlySet<SourceId>;
  readonly #byName: ReadonlyMap<string, SourceId>;
  readonly #directs = new Map<SourceId, SourceDirect>();
  readonly #directByMembers = new Map<string, SourceId>();
  readonly #protected = new Set<SourceId>();
  /** By conversation. */
  readonly #readings: ReadonlyMap<SourceId, Reading[]>;

  private constructor(
    channels: readonly JsonRecord[],
    directs: readonly JsonRecord[],
    readings: ReadonlyMap<SourceId, Reading[]>,
    people: SkeinPeople,
    groups: SkeinGroups,
  ) {
    this.#readings = readings;
    this.channels = channels.map((row) => toChannel(row, readings.get(String(row["id"])) ?? [], people, groups));
    this.#channelIds = new Set(this.channels.map(({ id }) => id));
    this.#byName = new Map(this.channels.map(({ id, name }) => [name.toLowerCase(), id]));
    for (const { id, hasProtectedHistory } of this.channels) if (hasProtectedHistory) this.#protected.add(id);
    for (const row of directs) this.#addDirect(String(row["id"]), people.idsOf(row["user_ids"]));
  }

  static async read(files: ExportFiles, people: SkeinPeople, groups: SkeinGroups): Promise<SkeinPlaces> {
    const readings = new Map<SourceId, Reading[]>();
    const add = (conversation: unknown, reading: Reading): void => {
      const list = readings.get(String(conversation));
      if (list === undefined) readings.set(String(conversation), [reading]);
      else list.push(reading);
    };
    for await (const row of rowsOf(files, "subscriptions")) {
      const personId = people.idOf(row["user_id"]);
      const { received, read } = recordOf(row["personal"]);
      if (personId !== undefined)
        add(row["channel_id"], { personId, isMember: row["active"] === true, ...rangesOf(received, read) });
    }
    for await (const row of rowsOf(files, "read_direct_messages")) {
      const personId = people.idOf(row["user_id"]);
      if (personId !== undefined)
        add(row["conversation_id"], { personId, isMember: true, ...rangesOf("{[0,)}", row["read"]) });
    }
    const folders = new Map((await listOf(files, "channel_folders")).map((row) => [row["id"], row]));
    const channels = (await listOf(files, "channels")).map((row) => ({
      ...row,
      folder: folders.get(row["folder_id"]),
    }));
    const directs = await listOf(files, "direct_conversations");
    return new SkeinPlaces(channels, directs, readings, people, groups);
  }

  get directs(): Iterable<SourceDirect> {
    return this.#directs.values();
  }

  hasChannel(id: SourceId): boolean {
    return this.#channelIds.has(id);
  }

  hasDirect(id: SourceId): boolean {
    return this.#directs.has(id);
  }

  isProtected(id: SourceId): boolean {
    return this.#protected.has(id);
  }

  channelByName(name: string): SourceId | undefined {
    return this.#byName.get(name.toLowerCase());
  }

  readingsOf(conversation: SourceId): readonly Reading[] {
    return this.#readings.get(conversation) ?? [];
  }

  /** The conversation of these people. One that has no messages yet is added. */
  directOf(people: readonly SourceId[]): SourceId | undefined {
    const known = this.#directByMembers.get(keyOf(people));
    if (known !== undefined || people.length === 0) return known;
    return this.#addDirect(`of ${keyOf(people)}`, people);
  }

  #addDirect(id: SourceId, people: readonly SourceId[]): SourceId {
    const members = [...new Set(people)];
    this.#directs.set(id, { id, members });
    this.#directByMembers.set(keyOf(members), id);
    return id;
  }
}

const keyOf = (people: readonly SourceId[]): string => [...new Set(people)].toSorted().join(",");

const rangesOf = (received: unknown, read: unknown): Pick<Reading, "received" | "read"> =>
  typeof received === "string" && typeof read === "string"
    ? { received, read }
    : { received: undefined, read: undefined };

function toChannel(
  row: JsonRecord,
  readings: readonly Reading[],
  people: SkeinPeople,
  groups: SkeinGroups,
): SourceChannel {
  const creatorId = people.idOf(row["creator_id"]);
  const createdAt = toSeconds(row["date_created"]);
  const folder = recordOf(row["folder"]);
  return {
    id: String(row["id"]),
    name: stringOf(row["name"]),
    description: stringOf(row["description"]),
    isPrivate: row["invite_only"] === true,
    isArchived: row["is_archived"] === true,
    isDefault: row["is_default"] === true,
    hasProtectedHistory: row["history_public_to_subscribers"] === false,
    isWebPublic: row["is_web_public"] === true,
    retentionDays: numberOf(row["message_retention_days"]) ?? null,
    topicsPolicy: stringOf(row["topics_policy"]),
    permissions: groups.valuesOf(channelPermissionNames, row),
    members: readings.filter(({ isMember }) => isMember).map(({ personId }) => personId),
    ...("name" in folder
      ? { folder: { name: stringOf(folder["name"]), description: stringOf(folder["description"]) } }
      : {}),
    ...(creatorId === undefined ? {} : { creatorId }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}
