/**
 * What happened to a message since it was sent. Edits of the message itself, and moves that concerned some messages of a
 * topic, are kept with the message; new names of a whole topic are kept once, with the topic, and concern the messages
 * it had at that time.
 */
import type { MessageObject } from "@skein/api/messages.ts";
import { toTimestamp, shownTopic } from "../messages/object.ts";
import { isResolution } from "../topics/resolved.ts";

/** An edit; what it did not change is null. */
export interface Edit {
  user_id: number | null;
  edited_at: string;
  /** Whether it changed the text. What that was can be left out: see `newestEditsOf`. */
  is_text: boolean;
  prev_content: string | null;
  prev_rendered_content: string | null;
  prev_topic: string | null;
  topic: string | null;
  prev_channel_id: number | null;
  channel_id: number | null;
}

/** Renames of a topic grow with their ids in `up_to_id`: the newest that concern a message are among the newest of all. */
const editsSql = (most: string, text: (column: string) => string): string => `(
  select json_agg(json_build_object('user_id', e.user_id, 'edited_at', e.edited_at,
    'is_text', e.prev_content is not null, 'prev_content', ${text("e.prev_content")},
    'prev_rendered_content', ${text("e.prev_rendered_content")}, 'prev_topic', e.prev_topic, 'topic', e.topic,
    'prev_channel_id', e.prev_channel_id, 'channel_id', e.channel_id) order by e.edited_at, e.id)
  from (
    (select id, user_id, edited_at, prev_content, prev_rendered_content, prev_topic, topic, prev_channel_id, channel_id,
      sum(octet_length(prev_content) + octet_length(prev_rendered_content)) over (order by id desc) as bytes
    from message_edits where message_id = m.id order by id desc limit ${most})
    union all
    select id, user_id, edited_at, null, null, prev_topic, topic, null, null, null
    from (
      select * from topic_edits where topic_id = m.topic_id and id > coalesce(m.topic_since, 0)
      order by id desc limit ${most}) as renames
    where up_to_id >= m.id) as e)`;

/** SQL for the edits of a message `m`, the oldest first; null when there are none. */
export const editsOf = editsSql("all", (column) => column);

/** More edits of its text make a message too large to be fetched together with others, and its history too long. */
export const maxTextEdits = 200;

/** More than a text can be edited, so that a move before is still known of. */
const newest = maxTextEdits + 50;
/** As much as a long message, Markdown and HTML. */
const newestTextBytes = 25_000;

/**
 * The same for one message of many: no more than the newest, and with texts only as far back as they are short together.
 * Nobody who reads a page has asked for all that others did to a message.
 */
export const newestEditsOf = editsSql(
  String(newest),
  (column) => `case when e.bytes <= ${newestTextBytes} then ${column} end`,
);

/** One call may have changed the text of a message and the name of its topic: that is one edit. */
export function asEdits(rows: readonly Edit[] | null): Edit[] {
  const edits: Edit[] = [];
  for (const row of rows ?? []) {
    const last = edits.at(-1);
    if (last && last.edited_at === row.edited_at && last.user_id === row.user_id && !overlap(last, row))
      edits[edits.length - 1] = together(last, row);
    else edits.push(row);
  }
  return edits;
}

const overlap = (one: Edit, other: Edit): boolean =>
  (one.is_text && other.is_text) || (one.prev_topic !== null && other.prev_topic !== null);

const together = (one: Edit, other: Edit): Edit => ({
  user_id: one.user_id,
  edited_at: one.edited_at,
  is_text: one.is_text || other.is_text,
  prev_content: one.prev_content ?? other.prev_content,
  prev_rendered_content: one.prev_rendered_content ?? other.prev_rendered_content,
  prev_topic: one.prev_topic ?? other.prev_topic,
  topic: one.topic ?? other.topic,
  prev_channel_id: one.prev_channel_id ?? other.prev_channel_id,
  channel_id: one.channel_id ?? other.channel_id,
});

interface Policy {
  message_edit_history_visibility_policy: string;
}

/** The edits as far as the organization lets them be seen; the oldest first. */
export function visibleEdits(edits: readonly Edit[], realm: Policy): Edit[] {
  switch (realm.message_edit_history_visibility_policy) {
    case "all":
      return [...edits];
    case "moves":
      return edits.filter(isMove).map((edit) => ({ ...edit, prev_content: null, prev_rendered_content: null }));
    default:
      return [];
  }
}

const isMove = ({ prev_topic, prev_channel_id }: Edit): boolean => prev_topic !== null || prev_channel_id !== null;

/** To be resolved or opened again is no way to be moved. */
const isAway = (edit: Edit): boolean =>
  edit.prev_channel_id !== null || (edit.prev_topic !== null && !isResolution(edit.prev_topic, edit.topic ?? ""));

export const timestampOf = ({ edited_at }: Edit): number => toTimestamp(new Date(edited_at));

/** What a message object says of its edits. */
export function editFields(
  rows: readonly Edit[] | null,
  realm: Policy,
  form: { empty_topic_name: boolean },
): Pick<MessageObject, "last_edit_timestamp" | "last_moved_timestamp" | "edit_history"> {
  if (rows === null) return {};
  const edits = asEdits(rows);
  const edited = edits.findLast((edit) => edit.is_text);
  const moved = edits.findLast(isAway);
  const visible = visibleEdits(edits, realm);
  return {
    ...(edited && { last_edit_timestamp: timestampOf(edited) }),
    ...(moved && { last_moved_timestamp: timestampOf(moved) }),
    ...(visible.length > 0 && { edit_history: visible.toReversed().map((edit) => toEntry(edit, form)) }),
  };
}

function toEntry(edit: Edit, form: { empty_topic_name: boolean }): NonNullable<MessageObject["edit_history"]>[number] {
  return { user_id: edit.user_id, timestamp: timestampOf(edit), ...whatChanged(edit, form) };
}

/** Only the aspects that changed. */
export const whatChanged = (edit: Edit, form: { empty_topic_name: boolean }) => ({
  ...(edit.prev_content === null ? {} : { prev_content: edit.prev_content }),
  ...(edit.prev_rendered_content === null ? {} : { prev_rendered_content: edit.prev_rendered_content }),
  ...(edit.prev_channel_id === null ? {} : { prev_stream: edit.prev_channel_id }),
  ...(edit.channel_id === null ? {} : { stream: edit.channel_id }),
  ...(edit.prev_topic === null ? {} : { prev_topic: shownTopic(edit.prev_topic, form) }),
  ...(edit.topic === null ? {} : { topic: shownTopic(edit.topic, form) }),
});
