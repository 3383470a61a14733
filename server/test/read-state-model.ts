/**
 * A simple model of read state: one row per user and received message. What the server derives from ranges must always
 * match it.
 */
import type { UnreadMessages } from "@skein/api/flags.ts";

/** The relevant properties of a channel. Only subscribers can read a private one. */
export interface ModelChannel {
  id: number;
  invite_only: boolean;
  history_public_to_subscribers: boolean;
}

interface ChannelPlace {
  channel: ModelChannel;
  topic: string;
}

interface ModelMessage {
  id: number;
  sender: number;
  place: ChannelPlace | { parties: number[] };
  /** For a message that was moved from another channel. */
  arrival?: { origin: ModelChannel; witnesses: ReadonlySet<number> };
}

interface Row {
  isRead: boolean;
}

export interface ModelFlags {
  read: boolean;
  historical: boolean;
}

export class ReadStateModel {
  readonly #messages = new Map<number, ModelMessage>();
  readonly #rows = new Map<number, Map<number, Row>>();
  readonly #subscribers = new Map<number, Set<number>>();
  /** Current and former subscribers. */
  readonly #everSubscribed = new Map<number, Set<number>>();
  /** Muted users by user. */
  readonly #muted = new Map<number, Set<number>>();

  subscribe(user: number, channel: ModelChannel): void {
    const subscribers = this.#subscribers.get(channel.id) ?? new Set();
    this.#subscribers.set(channel.id, subscribers.add(user));
    const ever = this.#everSubscribed.get(channel.id) ?? new Set();
    this.#everSubscribed.set(channel.id, ever.add(user));
  }

  /** A user who leaves a channel has no unread messages in it. */
  unsubscribe(user: number, channel: ModelChannel): void {
    this.#subscribers.get(channel.id)?.delete(user);
    for (const [id, row] of this.#rowsOf(user)) {
      const place = this.#messages.get(id)?.place;
      if (place && "channel" in place && place.channel.id === channel.id) row.isRead = true;
    }
  }

  isSubscribed(user: number, channel: ModelChannel): boolean {
    return this.#subscribers.get(channel.id)?.has(user) ?? false;
  }

  send(id: number, sender: number, place: ModelMessage["place"], readBySender: boolean): void {
    this.#messages.set(id, { id, sender, place });
    const receivers = "channel" in place ? (this.#subscribers.get(place.channel.id) ?? []) : place.parties;
    for (const user of receivers)
      this.#rowsOf(user).set(id, { isRead: (user === sender && readBySender) || this.hasMuted(user, sender) });
  }

  /**
   * What comes to a channel stays unread for those who are in it, and is read for all others for good. Only who was there
   * when it came can have it unread later.
   */
  move(ids: readonly number[], { channel, topic }: ChannelPlace): void {
    const witnesses = new Set(this.#subscribers.get(channel.id));
    for (const id of ids) {
      const message = this.#messages.get(id);
      if (!message || "parties" in message.place) continue;
      const from = message.place.channel;
      message.place = { channel, topic };
      if (from.id === channel.id) continue;
      message.arrival = { origin: message.arrival?.origin ?? from, witnesses };
      for (const [user, rows] of this.#rows) {
        const row = rows.get(id);
        if (row && !witnesses.has(user)) row.isRead = true;
      }
    }
  }

  /** The messages of the same topic that this user can read, including the message itself. */
  inTopicOf(user: number, id: number): number[] {
    const place = this.#messages.get(id)?.place;
    if (!place || "parties" in place) return [];
    const isThere = (other: ModelMessage["place"]) =>
      "channel" in other && other.channel.id === place.channel.id && other.topic === place.topic;
    return [...this.#messages.values()]
      .filter((message) => isThere(message.place) && this.canRead(user, message.id))
      .map((message) => message.id);
  }

  /** Messages of a muted user become read, and so do future ones. */
  mute(user: number, sender: number): void {
    this.#muted.set(user, (this.#muted.get(user) ?? new Set()).add(sender));
    for (const [id, row] of this.#rowsOf(user)) if (this.#messages.get(id)?.sender === sender) row.isRead = true;
  }

  unmute(user: number, sender: number): void {
    this.#muted.get(user)?.delete(sender);
  }

  hasMuted(user: number, sender: number): boolean {
    return this.#muted.get(user)?.has(sender) ?? false;
  }

  markRead(user: number, ids: number[]): number[] {
    const changed = [...new Set(ids)].filter((id) => this.#rowsOf(user).get(id)?.isRead === false);
    for (const id of changed) this.#rowsOf(user).set(id, { isRead: true });
    return changed;
  }

  /** Undefined if the user cannot access one of the messages. */
  markUnread(user: number, ids: number[]): { changed: number[]; notSubscribed: number[] } | undefined {
    const unique = [...new Set(ids)];
    if (!unique.every((id) => this.canRead(user, id))) return undefined;
    const outside = unique.flatMap((id) => {
      const channel = this.#channelOf(id);
      return channel && !this.isSubscribed(user, channel) ? [{ id, channel: channel.id }] : [];
    });
    const changed = unique.filter(
      (id) =>
        !outside.some((left) => left.id === id) &&
        this.#canAwait(user, id) &&
        this.#rowsOf(user).get(id)?.isRead !== false,
    );
    for (const id of changed) this.#rowsOf(user).set(id, { isRead: false });
    const notSubscribed = [...new Set(outside.map((left) => left.channel))].toSorted((a, b) => a - b);
    return { changed, notSubscribed };
  }

  /** A moved message can be unread only for users who received the move and were ever subscribed to its original channel. */
  #canAwait(user: number, id: number): boolean {
    const arrival = this.#messages.get(id)?.arrival;
    if (!arrival) return true;
    return arrival.witnesses.has(user) && (this.#everSubscribed.get(arrival.origin.id)?.has(user) ?? false);
  }

  canRead(user: number, id: number): boolean {
    const message = this.#messages.get(id);
    if (!message) return false;
    const { place, arrival } = message;
    if ("parties" in place) return place.parties.includes(user);
    const { channel } = place;
    const hasContent = !channel.invite_only || this.isSubscribed(user, channel);
    const wasThere = arrival ? arrival.witnesses.has(user) : this.#rowsOf(user).has(id);
    return hasContent && (channel.history_public_to_subscribers || wasThere);
  }

  flags(user: number, id: number): ModelFlags {
    const row = this.#rowsOf(user).get(id);
    return { read: row?.isRead ?? true, historical: row === undefined };
  }

  get messageIds(): number[] {
    return [...this.#messages.keys()];
  }

  newestReceived(user: number): number {
    return Math.max(-1, ...this.#rowsOf(user).keys());
  }

  unread(user: number): UnreadMessages {
    const ids = [...this.#rowsOf(user)].filter(([, row]) => !row.isRead).map(([id]) => id);
    const unread: UnreadMessages = {
      count: 0,
      pms: [],
      streams: [],
      huddles: [],
      mentions: [],
      old_unreads_missing: false,
    };
    for (const id of ids.toSorted((a, b) => a - b)) this.#count(unread, user, id);
    unread.pms.sort((a, b) => a.other_user_id - b.other_user_id);
    unread.streams.sort((a, b) => a.stream_id - b.stream_id || (a.topic < b.topic ? -1 : 1));
    unread.huddles.sort((a, b) => (a.user_ids_string < b.user_ids_string ? -1 : 1));
    return unread;
  }

  #count(unread: UnreadMessages, user: number, id: number): void {
    const place = this.#messages.get(id)?.place;
    if (!place) return;
    unread.count++;
    if ("channel" in place) {
      const { channel, topic } = place;
      const entry = unread.streams.find((known) => known.stream_id === channel.id && known.topic === topic);
      if (entry) entry.unread_message_ids.push(id);
      else unread.streams.push({ stream_id: channel.id, topic, unread_message_ids: [id] });
      return;
    }
    const others = place.parties.filter((party) => party !== user);
    if (others.length > 1) {
      const user_ids_string = place.parties.toSorted((a, b) => a - b).join(",");
      const entry = unread.huddles.find((known) => known.user_ids_string === user_ids_string);
      if (entry) entry.unread_message_ids.push(id);
      else unread.huddles.push({ user_ids_string, unread_message_ids: [id] });
      return;
    }
    const other = others[0] ?? user;
    const entry = unread.pms.find((known) => known.other_user_id === other);
    if (entry) entry.unread_message_ids.push(id);
    else unread.pms.push({ other_user_id: other, sender_id: other, unread_message_ids: [id] });
  }

  #channelOf(id: number): ModelChannel | undefined {
    const place = this.#messages.get(id)?.place;
    return place && "channel" in place ? place.channel : undefined;
  }

  #rowsOf(user: number): Map<number, Row> {
    const rows = this.#rows.get(user) ?? new Map<number, Row>();
    this.#rows.set(user, rows);
    return rows;
  }
}
