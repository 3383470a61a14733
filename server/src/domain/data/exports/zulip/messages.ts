/** The messages of an export for Zulip, each with a row for everybody who received it. */
import { escapeHtml } from "../../../../markdown/escape.ts";
import { type JsonRecord, listOf, numberOf, recordsOf, stringOf } from "../../imports/archive/json.ts";
import { flagBits, type Flags } from "../../imports/skein/flags.ts";
import type { Reading } from "../../imports/skein/places.ts";
import { Receivers } from "../../imports/skein/receivers.ts";
import { clientId, directTopic, recipientTypes, toSeconds, type ZulipOrganization } from "./organization.ts";

const bits = { read: 1, historical: 1024, isPrivate: 2048 };

export interface MessageSources {
  organization: ZulipOrganization;
  /** By conversation. */
  readings: ReadonlyMap<number, readonly Reading[]>;
  protectedChannels: ReadonlySet<number>;
  flags: Flags;
  /** Renames of topics, oldest first. */
  renames: ReadonlyMap<number, readonly JsonRecord[]>;
}

/** The rows of one message. */
export interface MessageRows {
  message: JsonRecord;
  receivers: JsonRecord[];
  reactions: JsonRecord[];
  submessages: JsonRecord[];
}

/** Messages must come conversation by conversation, and in the order of their ids. */
export class MessageConverter {
  readonly #sources: MessageSources;
  readonly #last = { receiver: 0, reaction: 0, submessage: 0 };
  #current: { conversation: number; receivers: Receivers; members: readonly number[] } | undefined;

  constructor(sources: MessageSources) {
    this.#sources = sources;
  }

  convert(row: JsonRecord): MessageRows {
    const message = row["id"];
    return {
      message: this.#message(row),
      receivers: this.#receivers(row),
      reactions: recordsOf(row["reactions"]).map(({ user_id, reaction_type, emoji_code, emoji_name }) => ({
        id: ++this.#last.reaction,
        message,
        user_profile: user_id,
        reaction_type,
        emoji_code,
        emoji_name,
      })),
      submessages: recordsOf(row["submessages"]).map(({ sender_id, msg_type, content }) => ({
        id: ++this.#last.submessage,
        message,
        sender: sender_id,
        msg_type,
        content,
      })),
    };
  }

  #message(row: JsonRecord): JsonRecord {
    const { organization } = this.#sources;
    const isInChannel = row["is_channel_message"] === true;
    const type = isInChannel ? recipientTypes.channel : recipientTypes.direct;
    const content = organization.text(stringOf(row["content"]));
    const edits = this.#edits(row);
    const edited = edits.find((edit) => "prev_content" in edit);
    return {
      id: row["id"],
      realm: organization.realmId,
      sender: row["sender_id"],
      recipient: organization.recipientOf(type, row["conversation_id"]),
      is_channel_message: isInChannel,
      subject: isInChannel ? stringOf(row["topic"]) : directTopic,
      content,
      // Zulip renders it.
      rendered_content: null,
      rendered_content_version: 1,
      date_sent: toSeconds(row["date_sent"]),
      sending_client: clientId,
      last_edit_time: edited?.["timestamp"] ?? null,
      edit_history: edits.length === 0 ? null : JSON.stringify(edits),
      has_attachment: listOf(row["attachments"]).length > 0,
      has_image: /\/user_uploads\/[^)\s]+\.(?:png|jpe?g|gif|webp)\b/i.test(content),
      has_link: /https?:\/\/|\]\(/.test(content),
    };
  }

  /** Its own edits and the renames of its topic, the newest first. */
  #edits(row: JsonRecord): JsonRecord[] {
    const own = recordsOf(row["edits"]);
    const move = own.findLast((edit) => edit["prev_topic"] !== null || edit["channel_id"] !== null);
    const movedAt = toSeconds(move?.["edited_at"]) ?? 0;
    const renames = (this.#sources.renames.get(numberOf(row["topic_id"]) ?? 0) ?? []).filter(
      (rename) => Number(rename["up_to_id"]) >= Number(row["id"]) && (toSeconds(rename["edited_at"]) ?? 0) > movedAt,
    );
    return [...own, ...renames]
      .toSorted((one, other) => (toSeconds(other["edited_at"]) ?? 0) - (toSeconds(one["edited_at"]) ?? 0))
      .map((edit) => this.#edit(edit));
  }

  #edit({ user_id, edited_at, prev_content, prev_topic, topic, prev_channel_id, channel_id }: JsonRecord): JsonRecord {
    const before = typeof prev_content === "string" ? this.#sources.organization.text(prev_content) : undefined;
    return {
      user_id,
      timestamp: Math.floor(toSeconds(edited_at) ?? 0),
      ...(before === undefined
        ? {}
        : {
            prev_content: before,
            prev_rendered_content: `<p>${escapeHtml(before)}</p>`,
            prev_rendered_content_version: 1,
          }),
      ...(typeof prev_topic === "string" ? { prev_topic, topic } : {}),
      ...(typeof channel_id === "number" ? { prev_stream: prev_channel_id, stream: channel_id } : {}),
    };
  }

  #receivers(row: JsonRecord): JsonRecord[] {
    const message = numberOf(row["id"]) ?? 0;
    const { receivers, members } = this.#receiversOf(numberOf(row["conversation_id"]) ?? 0);
    const { receivedBy, unreadBy = [] } = receivers.of(message);
    const unread = new Set(unreadBy.map(Number));
    const given = new Map([...this.#sources.flags.of(message)].map(({ person, flags }) => [person, flags]));
    const always = row["is_channel_message"] === true ? 0 : bits.isPrivate;
    const received = new Set(receivedBy?.map(Number) ?? members);
    const masks = [...received].map((person): [number, number] => [
      person,
      always | (unread.has(person) && person !== row["sender_id"] ? 0 : bits.read) | (given.get(person) ?? 0),
    ]);
    // Whoever starred a message without having received it sees it in the channel's history.
    for (const [person, flags] of given)
      if (!received.has(person) && (flags & flagBits.starred) !== 0)
        masks.push([person, always | bits.read | bits.historical | flags]);
    return masks.map(([user_profile, flags_mask]) => ({
      id: ++this.#last.receiver,
      user_profile,
      message,
      flags_mask,
    }));
  }

  #receiversOf(conversation: number): { receivers: Receivers; members: readonly number[] } {
    if (this.#current?.conversation !== conversation) {
      const readings = this.#sources.readings.get(conversation) ?? [];
      const members = readings.filter(({ isMember }) => isMember).map(({ personId }) => Number(personId));
      const isProtected = this.#sources.protectedChannels.has(conversation);
      this.#current = { conversation, members, receivers: new Receivers(readings, isProtected) };
    }
    return this.#current;
  }
}
