/** The channels and direct conversations of a Zulip export. Messages name them by their recipient. */
import { type JsonRecord, numberOf, stringOf } from "../archive/json.ts";
import { channelName } from "../names/stored-name.ts";
import type { SourceChannel, SourceDirect, SourceId } from "../source.ts";
import { cleanText } from "../text/marks.ts";
import type { ZulipPeople } from "./people.ts";
import type { RealmTables } from "./tables.ts";

const typePersonal = 1;
const typeChannel = 2;

export type ZulipPlace = { channelId: SourceId; directId?: never } | { directId: SourceId; channelId?: never };

export class ZulipPlaces {
  readonly channels: SourceChannel[];
  readonly #recipients = new Map<number, { type: number; typeId: number }>();
  readonly #channelIds = new Set<SourceId>();
  readonly #byName = new Map<string, SourceId>();
  readonly #directs = new Map<SourceId, SourceDirect>();
  readonly #tables: RealmTables;
  readonly #people: ZulipPeople;

  constructor(tables: RealmTables, people: ZulipPeople) {
    this.#tables = tables;
    this.#people = people;
    const channelRecipients = new Map<number, number>();
    for (const row of tables.rows("zerver_recipient")) {
      const [id, type, typeId] = [row["id"], row["type"], row["type_id"]].map(numberOf);
      if (id === undefined || type === undefined || typeId === undefined) continue;
      this.#recipients.set(id, { type, typeId });
      if (type === typeChannel) channelRecipients.set(typeId, id);
      else if (type !== typePersonal) this.#addDirect(this.#subscribers(id, true));
    }
    const defaults = new Set(tables.rows("zerver_defaultstream").map((row) => row["stream"]));
    this.channels = tables.rows("zerver_stream").map((row) => {
      const channel = this.#toChannel(row, defaults.has(row["id"]), channelRecipients.get(numberOf(row["id"]) ?? -1));
      this.#channelIds.add(channel.id);
      this.#byName.set(stringOf(row["name"]), channel.id);
      return channel;
    });
  }

  get directs(): Iterable<SourceDirect> {
    return this.#directs.values();
  }

  /** Whether there are conversations that only messages name. */
  get hasPersonal(): boolean {
    return [...this.#recipients.values()].some(({ type }) => type === typePersonal);
  }

  hasChannel(id: SourceId): boolean {
    return this.#channelIds.has(id);
  }

  channelByName(name: string): SourceId | undefined {
    return this.#byName.get(name);
  }

  /** Where a message was sent. */
  placeOf(recipient: unknown, senderId: SourceId): ZulipPlace | undefined {
    const found = this.#recipients.get(numberOf(recipient) ?? -1);
    if (found === undefined) return undefined;
    if (found.type === typeChannel) {
      const channelId = String(found.typeId);
      return this.hasChannel(channelId) ? { channelId } : undefined;
    }
    const members =
      found.type === typePersonal
        ? [senderId, this.#people.idOf(found.typeId)].filter((id) => id !== undefined)
        : this.#subscribers(numberOf(recipient) ?? -1, true);
    const directId = this.#addDirect(members);
    return directId === undefined ? undefined : { directId };
  }

  #addDirect(people: readonly SourceId[]): SourceId | undefined {
    const members = [...new Set(people)].toSorted((one, other) => Number(one) - Number(other));
    const id = members.join(",");
    if (id === "") return undefined;
    if (!this.#directs.has(id)) this.#directs.set(id, { id, members });
    return id;
  }

  #subscribers(recipient: number, withInactive: boolean): SourceId[] {
    const subscriptions = this.#tables.subscriptions.get(recipient) ?? [];
    const ids = subscriptions
      .filter(({ isActive }) => withInactive || isActive)
      .map(({ person }) => this.#people.idOf(person));
    return [...new Set(ids.filter((id) => id !== undefined))];
  }

  #toChannel(row: JsonRecord, isDefault: boolean, recipient: number | undefined): SourceChannel {
    const id = String(row["id"]);
    const creatorId = this.#people.idOf(row["creator"]);
    const createdAt = numberOf(row["date_created"]);
    return {
      id,
      name: channelName(stringOf(row["name"]), `channel ${id}`),
      description: cleanText(stringOf(row["description"])),
      isPrivate: row["invite_only"] === true,
      isArchived: row["deactivated"] === true,
      isDefault,
      hasProtectedHistory: row["invite_only"] === true && row["history_public_to_subscribers"] === false,
      members: recipient === undefined ? [] : this.#subscribers(recipient, false),
      ...(creatorId === undefined ? {} : { creatorId }),
      ...(createdAt === undefined ? {} : { createdAt: Math.floor(createdAt) }),
    };
  }
}
