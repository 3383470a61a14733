/** Runs a history of subscribing, sending and reading on the server and on the model, and compares them. */
import { sql, type Selectable } from "kysely";
import { expect } from "vitest";
import type { Context } from "../src/context.ts";
import type { Channel } from "../src/domain/channels/access.ts";
import { lockChannelsForSubscriptionChange } from "../src/domain/channels/lock.ts";
import { updateMessage } from "../src/domain/messages/edits/update.ts";
import { markRead, updateFlags } from "../src/domain/messages/flags/actions.ts";
import { flagColumns, flagsJoin, type FlagRow } from "../src/domain/messages/flags/rules.ts";
import { SettledIds } from "../src/domain/messages/flags/settled-ids.ts";
import { unreadMessages } from "../src/domain/messages/flags/state.ts";
import { isReadable, readerJoins } from "../src/domain/messages/access.ts";
import { sendMessage } from "../src/domain/messages/send/send.ts";
import { muteUser, unmuteUser } from "../src/domain/messages/muted-users/actions.ts";
import { addSubscribers } from "../src/domain/administration/subscriptions/add-subscribers.ts";
import { removeSubscribers } from "../src/domain/administration/subscriptions/remove-subscribers.ts";
import { newestReceivedId } from "../src/domain/messages/state.ts";
import { ApiError } from "../src/errors.ts";
import type { Realm, User } from "../src/identity/account.ts";
import type { UsersTable } from "../src/platform/db/schema.ts";
import { transaction } from "../src/platform/db/transaction.ts";
import { ReadStateModel } from "./read-state-model.ts";

export const peopleInHistory = 3;
/** A public channel, a private one, and a private one with protected history. */
export const channelsInHistory = 3;

/** Users and channels by number. Messages are numbered from the newest, where most changes happen. */
export type Step =
  | { kind: "subscribe" | "unsubscribe"; person: number; channel: number }
  | { kind: "send"; person: number; channel: number; topic: string; readBySender: boolean }
  | { kind: "write"; person: number; to: number[]; readBySender: boolean }
  /** `merging`: ranges may be merged across messages to others, which the server does some seconds later. */
  | { kind: "read"; person: number; picks: number[]; merging: boolean }
  | { kind: "unread"; person: number; picks: number[] }
  /** Moves a whole topic or one message, also to channels with other subscribers. */
  | { kind: "move"; person: number; pick: number; channel: number; topic: string; isWhole: boolean }
  /** Mutes a user, or unmutes a muted one. */
  | { kind: "mute"; person: number; other: number };

/** Errors for moves that change nothing, and of direct messages. */
const isNoMove = new Set(["Nothing to change", "Direct messages cannot be moved to channels."]);

const request = {
  clientName: "test",
  ip: "127.0.0.1",
  id: "test",
  origin: "",
  host: "",
  unsupported: [],
  files: [],
  onClose: () => undefined,
};

export class ReadStateHistory {
  readonly #ctx: Context;
  readonly #users: User[];
  readonly #channels: Channel[];
  readonly #model = new ReadStateModel();

  private constructor(ctx: Context, users: User[], channels: Channel[]) {
    this.#ctx = ctx;
    this.#users = users;
    this.#channels = channels;
  }

  /** With people and channels of its own. */
  static async begin(ctx: Context, realm: Realm): Promise<ReadStateHistory> {
    const { rows: users } = await sql<Selectable<UsersTable> & { rank: number }>`
      insert into users (realm_id, delivery_email, full_name)
      select ${realm.id}, gen_random_uuid() || '@example.com', 'Reader' from generate_series(1, ${peopleInHistory})
      returning *, rank_of(role, date_joined, ${realm.waiting_period_threshold}) as rank`.execute(ctx.db);
    const { rows: channels } = await sql<Channel>`
      with fresh as (
        insert into conversations (realm_id) select ${realm.id} from generate_series(1, ${channelsInHistory}) returning id
      ), kinds as (select id, row_number() over (order by id) as kind from fresh)
      insert into channels (id, realm_id, name, invite_only, history_public_to_subscribers,
        can_add_subscribers_group_id, can_administer_channel_group_id, can_remove_subscribers_group_id,
        can_send_message_group_id, can_subscribe_group_id)
      select k.id, ${realm.id}, gen_random_uuid(), k.kind > 1, k.kind < 3,
        nobody.id, nobody.id, nobody.id, everyone.id, nobody.id
      from kinds k, user_groups nobody, user_groups everyone
      where nobody.realm_id = ${realm.id} and nobody.name = 'role:nobody'
        and everyone.realm_id = ${realm.id} and everyone.name = 'role:everyone'
      returning *`.execute(ctx.db);
    return new ReadStateHistory(
      ctx,
      users.map(({ password_hash: _, ...user }) => ({ ...user, realm })),
      channels.toSorted((a, b) => a.id - b.id),
    );
  }

  async take(step: Step): Promise<void> {
    const user = at(this.#users, step.person);
    switch (step.kind) {
      case "subscribe":
        return this.#subscribe(user, at(this.#channels, step.channel));
      case "unsubscribe":
        return this.#unsubscribe(user, at(this.#channels, step.channel));
      case "send":
        return this.#send(user, at(this.#channels, step.channel), step.topic, step.readBySender);
      case "write":
        return this.#write(
          user,
          step.to.map((person) => at(this.#users, person)),
          step.readBySender,
        );
      case "read":
        return this.#markRead(user, this.#pick(step.picks), step.merging ? this.#allSettled() : new SettledIds());
      case "unread":
        return this.#markUnread(user, this.#pick(step.picks));
      case "move":
        return this.#move(user, step);
      case "mute":
        return this.#turnMute(user, at(this.#users, step.other));
    }
  }

  /** For every user and message: readability, flags, unread messages and the latest message. */
  async check(): Promise<void> {
    const readable = await this.#readable();
    for (const user of this.#users) {
      const { id } = user;
      const expected = this.#model.messageIds
        .filter((message) => this.#model.canRead(id, message))
        .map((message) => ({ id: message, ...this.#model.flags(id, message) }));
      expect(readable.get(id) ?? []).toEqual(expected);
      expect(await unreadMessages(this.#ctx.db, user, { empty_topic_name: true })).toEqual(this.#model.unread(id));
      expect(await newestReceivedId(this.#ctx.db, user)).toBe(this.#model.newestReceived(id));
    }
  }

  /** By user. */
  async #readable(): Promise<Map<number, { id: number; read: boolean; historical: boolean }[]>> {
    const reader = { id: "reader.id", rank: "reader.rank" };
    const { rows } = await sql<FlagRow & { id: number; reader_id: number }>`
      select reader.id as reader_id, m.id, ${sql.raw(flagColumns(reader))}
      from unnest(${this.#users.map(({ id }) => id)}::bigint[], ${this.#users.map(({ rank }) => rank)}::integer[])
          as reader (id, rank)
        cross join messages m ${sql.raw(readerJoins(reader))} ${sql.raw(flagsJoin(reader))}
      where m.id = any(${this.#model.messageIds}) and ${sql.raw(isReadable(reader))}
      order by m.id`.execute(this.#ctx.db);
    const byReader = Map.groupBy(rows, (row) => row.reader_id);
    return new Map(
      [...byReader].map(([id, own]) => [
        id,
        own.map(({ id: message, read, historical }) => ({ id: message, read, historical })),
      ]),
    );
  }

  async #subscribe(user: User, channel: Channel): Promise<void> {
    await transaction(this.#ctx.db, "subscribe", async (tx) => {
      const boundary = await lockChannelsForSubscriptionChange(tx, [channel.id]);
      await addSubscribers(tx, user.realm_id, boundary, [channel], [user.id]);
    });
    this.#model.subscribe(user.id, channel);
  }

  async #unsubscribe(user: User, channel: Channel): Promise<void> {
    await transaction(this.#ctx.db, "unsubscribe", async (tx) => {
      const boundary = await lockChannelsForSubscriptionChange(tx, [channel.id]);
      await removeSubscribers(tx, user.realm_id, boundary, [channel], [user.id]);
    });
    this.#model.unsubscribe(user.id, channel);
  }

  async #send(user: User, channel: Channel, topic: string, readBySender: boolean): Promise<void> {
    if (channel.invite_only && !this.#model.isSubscribed(user.id, channel)) return;
    const params = { type: "channel", to: channel.id, topic, content: "words" } as const;
    const { id } = await sendMessage(this.#ctx, user, { ...params, read_by_sender: readBySender }, request);
    this.#model.send(id, user.id, { channel, topic }, readBySender);
  }

  async #write(user: User, to: User[], readBySender: boolean): Promise<void> {
    const ids = to.map((other) => other.id);
    const params = { type: "direct", to: ids, content: "words" } as const;
    const { id } = await sendMessage(this.#ctx, user, { ...params, read_by_sender: readBySender }, request);
    const parties = [...new Set([user.id, ...ids])].toSorted((a, b) => a - b);
    this.#model.send(id, user.id, { parties }, readBySender);
  }

  async #markRead(user: User, ids: number[], settled: SettledIds): Promise<void> {
    const { changed } = await markRead(this.#ctx.db, user, ids, settled);
    expect(changed).toEqual(this.#model.markRead(user.id, ids));
  }

  async #markUnread(user: User, ids: number[]): Promise<void> {
    const answer = await updateFlags(this.#ctx, user, { op: "remove", flag: "read" }, ids).catch((error: unknown) => {
      if (error instanceof ApiError && error.message === "Invalid message(s)") return undefined;
      throw error;
    });
    expect(answer).toEqual(this.#model.markUnread(user.id, ids));
  }

  async #move(user: User, { pick, channel: number, topic, isWhole }: Extract<Step, { kind: "move" }>): Promise<void> {
    const [id] = this.#pick([pick]);
    const channel = at(this.#channels, number);
    const isOpen = !channel.invite_only || this.#model.isSubscribed(user.id, channel);
    if (id === undefined || !isOpen || !this.#model.canRead(user.id, id)) return;
    const ids = this.#model.inTopicOf(user.id, id).filter((other) => isWhole || other === id);
    const params = {
      message_id: id,
      stream_id: channel.id,
      topic,
      propagate_mode: isWhole ? "change_all" : "change_one",
      send_notification_to_old_thread: false,
      send_notification_to_new_thread: false,
    } as const;
    const isDone = await updateMessage(this.#ctx, user, params, request).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ApiError && isNoMove.has(error.message)) return false;
        throw error;
      },
    );
    if (isDone) this.#model.move(ids, { channel, topic });
  }

  async #turnMute(user: User, other: User): Promise<void> {
    if (user.id === other.id) return;
    const isMuted = this.#model.hasMuted(user.id, other.id);
    await transaction(this.#ctx.db, "mute or unmute", (tx) =>
      isMuted ? unmuteUser(tx, user, other.id) : muteUser(tx, user, other.id),
    );
    if (isMuted) this.#model.unmute(user.id, other.id);
    else this.#model.mute(user.id, other.id);
  }

  /** Steps run one after the other here, so all sent messages are settled. */
  #allSettled(): SettledIds {
    const settled = new SettledIds();
    const newest = { newest_id: Math.max(0, ...this.#model.messageIds), oldest_running: 1, next_transaction: 1 };
    for (const now of [0, 1e9]) settled.observe(newest, now);
    return settled;
  }

  #pick(picks: number[]): number[] {
    const newestFirst = this.#model.messageIds.toReversed();
    return picks.flatMap((pick) => newestFirst[pick] ?? []);
  }
}

function at<T>(list: T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`a step names number ${index} of ${list.length}`);
  return item;
}
