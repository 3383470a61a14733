import type { z } from "zod";
import type { deleteMessageEvent } from "../deletion.ts";
import type { flagEvents, MessageFlag } from "../flags.ts";
import type { messageUpdateEvent } from "../message-updates.ts";
import type { messageEvent } from "../messages.ts";
import { change, insertSorted, without, type FollowedState } from "./followed-state.ts";
import {
  addUnread,
  clearUnread,
  moveUnread,
  mutedTopics,
  placeOfDetails,
  placeOfMessage,
  placeOfUnread,
  removeUnread,
  type Place,
} from "./unread.ts";

/** The maximum number of direct conversations listed at registration. */
export const maxRecentConversations = 1000;

type MessageEvent = z.output<typeof messageEvent>;
type UpdateEvent = z.output<typeof messageUpdateEvent>;
type DeleteEvent = z.output<typeof deleteMessageEvent>;
type FlagEvent = z.output<(typeof flagEvents)[number]>;

const wildcards: readonly string[] = ["stream_wildcard_mentioned", "topic_wildcard_mentioned"] satisfies MessageFlag[];

export function applyMessageEvent(state: FollowedState, { message, flags }: MessageEvent): FollowedState {
  const place = placeOfMessage(message, state.user_id);
  const newest = change(state, "max_message_id", (id) => Math.max(id, message.id));
  const recent = "others" in place ? conversed(newest, place.others, message.id) : newest;
  return flags.includes("read") ? recent : addUnread(recent, message.id, place, isMention(state, place, flags));
}

/** A wildcard mention does not count in a muted topic. */
function isMention(state: FollowedState, place: Place, flags: string[]): boolean {
  if (flags.includes("mentioned")) return true;
  if (!flags.some((flag) => wildcards.includes(flag))) return false;
  return !("channel" in place && mutedTopics(state)(place.channel, place.topic));
}

/** Updates the conversations of unread messages, and whether the edited one mentions the reader. */
export function applyUpdateEvent(state: FollowedState, event: UpdateEvent): FollowedState {
  if (event.rendering_only || event.stream_id === undefined) return mentioning(state, event);
  const { new_stream_id: channel = event.stream_id, orig_subject: before = "", subject: topic = before } = event;
  const isMove = event.orig_subject !== undefined;
  return mentioning(isMove ? moveUnread(state, event.message_ids, { channel, topic }) : state, event);
}

function mentioning(state: FollowedState, { message_id, flags, content }: UpdateEvent): FollowedState {
  const place = content === undefined ? undefined : placeOfUnread(state, message_id);
  if (!place) return state;
  return addUnread(removeUnread(state, [message_id]), message_id, place, isMention(state, place, flags));
}

export function applyDeleteEvent(state: FollowedState, event: DeleteEvent): FollowedState {
  const ids = event.message_ids ?? (event.message_id === undefined ? [] : [event.message_id]);
  return change(removeUnread(state, ids), "starred_messages", (starred) => without(starred, ids));
}

const conversed = (state: FollowedState, others: number[], id: number): FollowedState =>
  change(state, "recent_private_conversations", (conversations) => {
    const key = others.join();
    const known = conversations.find((conversation) => conversation.user_ids.join() === key);
    const rest = conversations.filter((conversation) => conversation !== known);
    const now = { user_ids: others, max_message_id: Math.max(id, known?.max_message_id ?? id) };
    return [now, ...rest].toSorted((a, b) => b.max_message_id - a.max_message_id).slice(0, maxRecentConversations);
  });

export function applyFlagEvent(state: FollowedState, event: FlagEvent): FollowedState {
  switch (event.flag) {
    case "starred":
      return change(state, "starred_messages", (ids) =>
        event.op === "add" ? insertSorted(ids, event.messages) : without(ids, event.messages),
      );
    case "read":
      if (event.op === "remove") return becameUnread(state, event.message_details ?? {});
      return event.all ? clearUnread(state) : removeUnread(state, event.messages);
    default:
      return state;
  }
}

type Details = NonNullable<Extract<FlagEvent, { op: "remove" }>["message_details"]>;

const becameUnread = (state: FollowedState, details: Details): FollowedState =>
  Object.entries(details).reduce(
    (next, [id, about]) => addUnread(next, Number(id), placeOfDetails(about), about.mentioned ?? false),
    state,
  );
