/** The channels and direct conversations of a Mattermost export. */
import { type JsonRecord, numberOf, recordsOf, stringOf, stringsOf } from "../archive/json.ts";
import { channelName } from "../names/stored-name.ts";
import type { SourceChannel, SourceDirect, SourceId } from "../source.ts";
import { cleanText } from "../text/marks.ts";

interface GivenChannel {
  team: string;
  name: string;
  given: JsonRecord;
}

export const channelIdOf = (team: string, name: string): SourceId => `${team}/${name}`;

export class MattermostPlaces {
  readonly #teams = new Map<string, string>();
  readonly #channels = new Map<SourceId, GivenChannel>();
  readonly #members = new Map<SourceId, Set<SourceId>>();
  readonly #directs = new Map<SourceId, SourceDirect>();

  addTeam(team: JsonRecord): void {
    const name = stringOf(team["name"]);
    this.#teams.set(name, stringOf(team["display_name"]) || name);
  }

  addChannel(given: JsonRecord): void {
    const [team, name] = [stringOf(given["team"]), stringOf(given["name"])];
    this.#channels.set(channelIdOf(team, name), { team, name, given });
  }

  addMember(channelId: SourceId, personId: SourceId): void {
    const members = this.#members.get(channelId);
    if (members === undefined) this.#members.set(channelId, new Set([personId]));
    else members.add(personId);
  }

  /** Returns its id; undefined without members. */
  addDirect(people: readonly SourceId[]): SourceId | undefined {
    const members = [...new Set(people)].toSorted();
    const id = members.join(",");
    if (id === "") return undefined;
    if (!this.#directs.has(id)) this.#directs.set(id, { id, members });
    return id;
  }

  get directs(): Iterable<SourceDirect> {
    return this.#directs.values();
  }

  hasChannel(id: SourceId): boolean {
    return this.#channels.has(id);
  }

  nameOf(id: SourceId): string | undefined {
    const channel = this.#channels.get(id);
    if (channel === undefined) return undefined;
    const { team, name, given } = channel;
    const shown = stringOf(given["display_name"]) || name;
    return channelName(this.#teams.size > 1 ? `${this.#teams.get(team) ?? team} / ${shown}` : shown, name);
  }

  *channels(): Generator<SourceChannel> {
    for (const [id, { name, given }] of this.#channels) {
      const described = stringOf(given["purpose"]).trim() || stringOf(given["header"]).trim();
      yield {
        id,
        name: this.nameOf(id) ?? name,
        description: cleanText(described),
        isPrivate: given["type"] === "P",
        isArchived: (numberOf(given["deleted_at"]) ?? 0) > 0,
        // The channel of all members of a team.
        isDefault: name === "town-square" && this.#teams.size === 1,
        members: [...(this.#members.get(id) ?? [])],
      };
    }
  }
}

/** Where a user is a member, and until when they have read. 0 means that they have read everything. */
export function* membershipsOf(user: JsonRecord): Generator<{ channelId: SourceId; readUntil: number }> {
  for (const team of recordsOf(user["teams"]))
    for (const channel of recordsOf(team["channels"]))
      yield {
        channelId: channelIdOf(stringOf(team["name"]), stringOf(channel["name"])),
        readUntil: toMicroseconds(channel["last_viewed_at"]),
      };
}

/** Newer versions write participants, with what they have read; older ones only names. */
export function participantsOf(direct: JsonRecord): { username: string; readUntil: number }[] {
  const participants = recordsOf(direct["participants"]);
  if (participants.length === 0) return stringsOf(direct["members"]).map((username) => ({ username, readUntil: 0 }));
  return participants.map((participant) => ({
    username: stringOf(participant["username"]),
    readUntil: toMicroseconds(participant["last_viewed_at"]),
  }));
}

/** 0 if it is absent. */
export const toMicroseconds = (milliseconds: unknown): number => (numberOf(milliseconds) ?? 0) * 1000;
