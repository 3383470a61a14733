/** The channels and direct conversations of a Slack export, and the folders with their messages. */
import { type JsonRecord, numberOf, recordOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { channelName } from "../names/stored-name.ts";
import type { SourceChannel, SourceDirect, SourceId } from "../source.ts";
import { cleanText } from "../text/marks.ts";
import type { SlackLookup } from "./lookup.ts";
import { mrkdwnToPlain } from "./mrkdwn.ts";

export type Place = { channelId: SourceId; directId?: never } | { directId: SourceId; channelId?: never };

export class SlackPlaces {
  readonly channels: SourceChannel[] = [];
  readonly directs: SourceDirect[] = [];
  /** Channels and times of pinned messages. */
  readonly pins: SourceId[] = [];
  readonly #byFolder = new Map<string, Place>();
  readonly #names = new Map<SourceId, string>();

  addChannel(channel: JsonRecord, isPrivate: boolean, lookup: SlackLookup): void {
    const id = stringOf(channel["id"]);
    const given = stringOf(channel["name"]);
    if (id === "" || this.#names.has(id)) return;
    const name = channelName(given, id);
    const creatorId = lookup.personId(stringOf(channel["creator"]));
    const createdAt = numberOf(channel["created"]);
    const described = [channel["purpose"], channel["topic"]].map((about) => stringOf(recordOf(about)["value"]).trim());
    this.channels.push({
      id,
      name,
      description: cleanText(mrkdwnToPlain(described.find((text) => text !== "") ?? "", lookup)).trim(),
      isPrivate,
      isArchived: channel["is_archived"] === true,
      isDefault: channel["is_general"] === true,
      members: knownPeople(channel, lookup),
      ...(creatorId === undefined ? {} : { creatorId }),
      ...(createdAt === undefined || createdAt <= 0 ? {} : { createdAt }),
    });
    this.#names.set(id, name);
    this.#addFolders([given, id], { channelId: id });
    for (const pin of recordsOf(channel["pins"])) this.pins.push(`${id}:${stringOf(pin["id"])}`);
  }

  addDirect(direct: JsonRecord, lookup: SlackLookup, personId: (id: string) => SourceId): void {
    const id = stringOf(direct["id"]);
    if (id === "") return;
    const members = [
      ...new Set(stringsOf(direct["members"]).map((member) => lookup.personId(member) ?? personId(member))),
    ];
    if (members.length === 0) return;
    this.directs.push({ id, members });
    this.#addFolders([stringOf(direct["name"]), id], { directId: id });
  }

  /** The channel or conversation whose messages are in this folder. */
  inFolder(folder: string): Place | undefined {
    return this.#byFolder.get(folder);
  }

  channelName(id: SourceId): string | undefined {
    return this.#names.get(id);
  }

  /** The names of folders are names of channels; some tools use ids. */
  #addFolders(folders: readonly string[], place: Place): void {
    for (const folder of folders) if (folder !== "" && !this.#byFolder.has(folder)) this.#byFolder.set(folder, place);
  }
}

function knownPeople(channel: JsonRecord, lookup: SlackLookup): SourceId[] {
  const ids = stringsOf(channel["members"]).map((member) => lookup.personId(member));
  return [...new Set(ids.filter((id) => id !== undefined))];
}
