/** The tables of a Zulip export's realm.json, as far as they are imported. */
import type { Archive } from "../archive/archive.ts";
import { type JsonRecord, isRecord, numberOf, stringOf } from "../archive/json.ts";
import { jsonItems } from "../archive/json-items.ts";

/** Rows that are kept as they are: there are few of them, or one for each person. */
const kept = [
  "zerver_realm",
  "zerver_userprofile",
  "zerver_userprofile_mirrordummy",
  "zerver_userprofile_crossrealm",
  "zerver_stream",
  "zerver_recipient",
  "zerver_defaultstream",
  "zerver_realmemoji",
  "zerver_realmfilter",
  "zerver_customprofilefield",
  "zerver_customprofilefieldvalue",
  "zerver_usergroup",
  "zerver_namedusergroup",
  "zerver_usergroupmembership",
  "zerver_groupgroupmembership",
  "zerver_scheduledmessage",
  "zerver_usertopic",
  "zerver_userstatus",
  "zerver_alertword",
  "zerver_muteduser",
  "zerver_savedsnippet",
  "zerver_submessage",
] as const;

export type TableName = (typeof kept)[number];

export interface Subscription {
  person: number;
  isActive: boolean;
}

export class RealmTables {
  readonly #rows = new Map<string, JsonRecord[]>(kept.map((name) => [name, []]));
  /** By recipient. */
  readonly subscriptions = new Map<number, Subscription[]>();
  /** By message. There can be millions, so they are numbers: person and emoji in turn. */
  readonly #reactions = new Map<number, number[]>();
  readonly #emoji: { type: string; code: string; name: string }[] = [];
  readonly #emojiIndex = new Map<string, number>();

  rows(name: TableName): readonly JsonRecord[] {
    return this.#rows.get(name) ?? [];
  }

  *reactionsTo(message: number): Generator<{ person: number; emoji: { type: string; code: string; name: string } }> {
    const numbers = this.#reactions.get(message) ?? [];
    for (let index = 0; index + 1 < numbers.length; index += 2) {
      const emoji = this.#emoji[numbers[index + 1] ?? -1];
      if (emoji !== undefined) yield { person: numbers[index] ?? 0, emoji };
    }
  }

  add(table: string, row: JsonRecord): void {
    if (table === "zerver_subscription") this.#addSubscription(row);
    else if (table === "zerver_reaction") this.#addReaction(row);
    else this.#rows.get(table)?.push(row);
  }

  #addSubscription(row: JsonRecord): void {
    const recipient = numberOf(row["recipient"]);
    const person = numberOf(row["user_profile"]);
    if (recipient === undefined || person === undefined) return;
    const subscription = { person, isActive: row["active"] !== false };
    const list = this.subscriptions.get(recipient);
    if (list === undefined) this.subscriptions.set(recipient, [subscription]);
    else list.push(subscription);
  }

  #addReaction(row: JsonRecord): void {
    const message = numberOf(row["message"]);
    const person = numberOf(row["user_profile"]);
    if (message === undefined || person === undefined) return;
    const list = this.#reactions.get(message) ?? [];
    list.push(person, this.#indexOfEmoji(row));
    this.#reactions.set(message, list);
  }

  #indexOfEmoji(row: JsonRecord): number {
    const emoji = {
      type: stringOf(row["reaction_type"]),
      code: stringOf(row["emoji_code"]),
      name: stringOf(row["emoji_name"]),
    };
    const key = `${emoji.type} ${emoji.code} ${emoji.name}`;
    const index = this.#emojiIndex.get(key) ?? this.#emoji.push(emoji) - 1;
    this.#emojiIndex.set(key, index);
    return index;
  }
}

const wanted: ReadonlySet<string> = new Set([...kept, "zerver_subscription", "zerver_reaction"]);

export async function readTables(archive: Archive, entry: string): Promise<RealmTables> {
  const tables = new RealmTables();
  const chunks = (await archive.stream(entry)) as AsyncIterable<Buffer>;
  for await (const items of jsonItems(chunks, (key) => wanted.has(key)))
    for (const { key = "", value } of items) if (isRecord(value)) tables.add(key, value);
  return tables;
}
