/**
 * The edit history of a message. Edits of the message itself, and moves of some messages of a topic, are stored with
 * the message; renames of a whole topic are stored once, with the topic, and apply to the messages it had at that time.
 */
import type { MessageObject } from "@skein/api/messages.ts";
import { shownTopic } from "../../channels/topics/name.ts";
import { toTimestamp } from "../../base/timestamp.ts";
import { spelledTopicBefore } from "../../channels/topics/spelling.ts";
import { isResolution } from "../../channels/topics/resolved.ts";

/** An edit; fields it did not change are null. */
export interface Edit {
  user_id: number | null;
  edited_at: string;
  /** Whether it changed the text. The text itself may be left out: see `newestEditsOf`. */
  is_text: boolean;
  prev_content: string | null;
  prev_rendered_content: string | null;
  prev_topic: string | null;
  topic: string | null;
  prev_channel_id: number | null;
  channel_id: number | null;
}

/**
 * `up_to_id` grows with the ids of a topic's renames, so the newest renames that apply to a message are among the
 * newest of all.
 */
const editsSql = (limit: string, text: (column: string) => string): string => `(
  select json_agg(json_build_object('user_id', e.user_id, 'edited_at', e.edited_at,
    'is_text', e.prev_content is not null, 'prev_content', ${text("e.prev_content")},
    'prev_rendered_content', ${text("e.prev_rendered_content")}, 'prev_topic', e.prev_topic, 'topic', e.topic,
    'prev_channel_id', e.prev_channel_id, 'channel_id', e.channel_id) order by e.edited_at, e.id)
  from (
    (select id, user_id, edited_at, prev_content, prev_rendered_content, prev_topic, topic, prev_channel_id, channel_id,
      sum(octet_length(prev_content) + octet_length(prev_rendered_content)) over (order by id desc) as bytes
    from message_edits where message_id = m.id order by id desc limit ${limit})
    union all
    select e.id, e.user_id, e.edited_at, null, null, ${spelledTopicBefore}, e.topic, null, null, null
    from (
      select * from topic_edits where topic_id = m.topic_id and id > coalesce(m.topic_since, 0)
      order by id desc limit ${limit}) as e
    where e.up_to_id >= m.id) as e)`;

/** SQL for the edits of a message `m`, oldest first; null when there are none. */
export const editsOf = editsSql("all", (column) => column);

/** With more text edits, a message would be too large to be fetched merged with others, and its history too long. */
export const maxTextEdits = 200;

/** More than the maximum number of text edits, so that an earlier move is still included. */
const newest = maxTextEdits + 50;
/** The size of a long message, Markdown and HTML merged. */
const newestTextBytes = 25_000;

/**
 * The same for one message of a page: only the newest edits, and their texts only while they are short in total. A
 * reader of a page has not requested everything that ever happened to a message.
 */
export const newestEditsOf = editsSql(
  String(newest),
  (column) => `case when e.bytes <= ${newestTextBytes} then ${column} end`,
);

/** Merges rows of the same request: changing a message's text and its topic's name at once is one edit. */
export function asEdits(rows: readonly Edit[] | null): Edit[] {
  const edits: Edit[] = [];
  for (const row of rows ?? []) {
    const last = edits.at(-1);
    if (last && last.edited_at === row.edited_at && last.user_id === row.user_id && !haveSameFields(last, row))
      edits[edits.length - 1] = merged(last, row);
    else edits.push(row);
  }
  return edits;
}

const haveSameFields = (one: Edit, other: Edit): boolean =>
  (one.is_text && other.is_text) || (one.prev_topic !== null && other.prev_topic !== null);

const merged = (one: Edit, other: Edit): Edit => ({
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

/** Whether the organization lets people see earlier texts. */
export const showsEarlierTexts = (realm: Policy): boolean => realm.message_edit_history_visibility_policy === "all";

/** Whether it lets people see where a message was before. */
export const showsEarlierPlaces = (realm: Policy): boolean => realm.message_edit_history_visibility_policy !== "none";

/** The edits the organization lets people see, oldest first. */
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

/** Resolving or unresolving a topic does not count as moving its messages. */
const isRealMove = (edit: Edit): boolean =>
  edit.prev_channel_id !== null || (edit.prev_topic !== null && !isResolution(edit.prev_topic, edit.topic ?? ""));

export const timestampOf = ({ edited_at }: Edit): number => toTimestamp(new Date(edited_at));

/** The fields of a message object that describe its edits. */
export function editFields(
  rows: readonly Edit[] | null,
  realm: Policy,
  form: { empty_topic_name: boolean },
): Pick<MessageObject, "last_edit_timestamp" | "last_moved_timestamp" | "edit_history"> {
  if (rows === null) return {};
  const edits = asEdits(rows);
  const edited = edits.findLast((edit) => edit.is_text);
  const moved = edits.findLast(isRealMove);
  const visible = visibleEdits(edits, realm);
  return {
    ...(edited && { last_edit_timestamp: timestampOf(edited) }),
    ...(moved && { last_moved_timestamp: timestampOf(moved) }),
    ...(visible.length > 0 && { edit_history: visible.toReversed().map((edit) => toEntry(edit, form)) }),
  };
}

function toEntry(edit: Edit, form: { empty_topic_name: boolean }): NonNullable<MessageObject["edit_history"]>[number] {
  return { user_id: edit.user_id, timestamp: timestampOf(edit), ...changedFields(edit, form) };
}

/** Only the aspects that changed. */
export const changedFields = (edit: Edit, form: { empty_topic_name: boolean }) => ({
  ...(edit.prev_content === null ? {} : { prev_content: edit.prev_content }),
  ...(edit.prev_rendered_content === null ? {} : { prev_rendered_content: edit.prev_rendered_content }),
  ...(edit.prev_channel_id === null ? {} : { prev_stream: edit.prev_channel_id }),
  ...(edit.channel_id === null ? {} : { stream: edit.channel_id }),
  ...(edit.prev_topic === null ? {} : { prev_topic: shownTopic(edit.prev_topic, form) }),
  ...(edit.topic === null ? {} : { topic: shownTopic(edit.topic, form) }),
});
