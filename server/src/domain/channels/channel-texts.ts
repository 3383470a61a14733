/**
 * Channels as JSON text, for registrations that share a snapshot. What a channel looks like does not depend on who reads it, so each is
 * loaded and written once, however many readers are told of it. Neighbors whom several readers see share a text as a block, which is
 * also compressed once.
 */
import type { PlainChannel } from "@skein/api/channels.ts";
import { sql } from "kysely";
import type { Moment } from "../../events/state-part.ts";
import type { User } from "../../identity/account.ts";
import type { Db } from "../../platform/db/connect.ts";
import { separated, SharedText, sharedTextOf, type TextPiece } from "../../platform/shared-text.ts";
import type { Channel } from "./access.ts";
import { toChannelObjects } from "./queries.ts";
import { listChosenSubscribers, type ListedSubscribers, type SubscriberChoice } from "./subscriptions/subscribers.ts";

interface Loaded {
  object: PlainChannel;
  subscribers: ListedSubscribers;
}

/** Smaller blocks are interrupted less often by a channel that a reader does not see, and larger ones compress better. */
const idsPerBlock = 16;
const blockNumber = (id: number): number => Math.floor(id / idsPerBlock);

interface Block {
  ids: readonly number[];
  key: string;
}

const blockOf = (ids: readonly number[]): Block => ({ ids, key: ids.join() });

/** Blocks without any of these channels stay what they are. */
function blocksWithout(blocks: readonly Block[], channels: ReadonlySet<number>): Block[] {
  const changed = new Set(Array.from(channels, blockNumber));
  return blocks
    .map((block) =>
      changed.has(blockNumber(block.ids[0] ?? 0)) ? blockOf(block.ids.filter((id) => !channels.has(id))) : block,
    )
    .filter(({ ids }) => ids.length > 0);
}

const noChannels: ReadonlySet<number> = new Set();

export class ChannelTexts {
  readonly #realmId: number;
  readonly #choice: SubscriberChoice;
  readonly #loaded = new Map<number, Loaded>();
  /** One after another, so that nothing is loaded twice. */
  #loading: Promise<void> = Promise.resolve();
  readonly #texts = new Map<number, string>();
  /** By the ids in it. One that a second reader sees is kept as bytes. */
  readonly #blocks = new Map<string, string | SharedText>();
  /** Readers with the same list are given the same array. */
  readonly #lists = new WeakMap<readonly number[], SharedText | "listed">();
  readonly #divided = new WeakMap<readonly number[], Block[]>();

  constructor(realmId: number, choice: SubscriberChoice) {
    this.#realmId = realmId;
    this.#choice = choice;
  }

  /** The channels of this moment, as loaded so far; each with its subscribers as chosen. */
  static at(moment: Moment, { realm_id }: User, choice: SubscriberChoice): Promise<ChannelTexts> {
    return moment.once(ChannelTexts, `${realm_id} ${choice}`, async () => new ChannelTexts(realm_id, choice));
  }

  /** Must precede all other calls with these ids. */
  load(db: Db, ids: readonly number[]): Promise<void> {
    this.#loading = this.#loading.then(() => this.#loadMissing(db, ids));
    return this.#loading;
  }

  async #loadMissing(db: Db, ids: readonly number[]): Promise<void> {
    if (this.#divided.has(ids)) return; // they have been listed
    const missing = ids.filter((id) => !this.#loaded.has(id));
    if (missing.length === 0) return;
    const { rows } = await sql<Channel>`
      select * from channels where realm_id = ${this.#realmId} and id = any(${missing}::bigint[])`.execute(db);
    const subscribersOf = await listChosenSubscribers(db, rows, this.#choice);
    for (const object of await toChannelObjects(db, this.#realmId, rows))
      this.#loaded.set(object.stream_id, { object, subscribers: subscribersOf(object.stream_id) });
  }

  find(id: number): Loaded {
    const loaded = this.#loaded.get(id);
    if (!loaded) throw new Error("a channel is loaded before it is shown");
    return loaded;
  }

  /**
   * The members of a JSON array with these channels, whose ids ascend, except those in `without`. A list that a second reader is given
   * as a whole is one text.
   */
  list(ids: readonly number[], without: ReadonlySet<number> = noChannels): TextPiece[] {
    if (without.size > 0) return this.#joined(blocksWithout(this.#blocksOf(ids), without));
    const known = this.#lists.get(ids);
    if (known instanceof SharedText) return [known];
    const pieces = this.#joined(this.#blocksOf(ids));
    this.#lists.set(ids, known === undefined ? "listed" : sharedTextOf(pieces));
    return pieces;
  }

  #joined = (blocks: readonly Block[]): TextPiece[] => separated(blocks.map((block) => this.#textOf(block)));

  #blocksOf(ids: readonly number[]): Block[] {
    const known = this.#divided.get(ids);
    if (known) return known;
    const blocks = [...Map.groupBy(ids, blockNumber).values()].map(blockOf);
    this.#divided.set(ids, blocks);
    return blocks;
  }

  #textOf({ ids, key }: Block): TextPiece {
    const known = this.#blocks.get(key);
    if (known instanceof SharedText) return known;
    const text = known === undefined ? ids.map((id) => this.#text(id)).join(",") : new SharedText(known);
    this.#blocks.set(key, text);
    return text;
  }

  #text(id: number): string {
    let text = this.#texts.get(id);
    if (text === undefined) {
      const { object, subscribers } = this.find(id);
      text = JSON.stringify({ ...object, ...subscribers });
      this.#texts.set(id, text);
    }
    return text;
  }
}
