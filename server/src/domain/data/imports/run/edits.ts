/** Earlier versions of a message. */
import type { SourceText } from "../source.ts";
import type { KnownIds } from "./references.ts";
import type { StagedMessage } from "./staging.ts";

export interface ReadyEdit {
  userId: number | null;
  /** Microseconds. */
  at: number;
  previousContent: string | null;
  previousHtml: string | null;
  previousTopic: string | null;
  topic: string | null;
  previousChannelId: number | null;
  channelId: number | null;
}

/** Oldest first. */
export function toEdits(
  { edits, editedAt }: StagedMessage,
  now: { senderId: number; content: string; html: string },
  { people, channels }: KnownIds,
  render: (text: SourceText) => { content: string; html: string },
): ReadyEdit[] {
  const unchanged = { previousTopic: null, topic: null, previousChannelId: null, channelId: null };
  if (!edits) {
    if (editedAt === undefined) return [];
    // Only the time of the last edit is known; the text before it is not, so it counts as the same.
    return [{ ...unchanged, userId: now.senderId, at: editedAt, previousContent: now.content, previousHtml: now.html }];
  }
  return edits.flatMap((edit) => {
    const previous = edit.previousText && render(edit.previousText);
    const previousChannelId = edit.previousChannelId === undefined ? undefined : channels.get(edit.previousChannelId);
    if (!previous && edit.previousTopic === undefined && previousChannelId === undefined) return [];
    return [
      {
        userId: (edit.personId === undefined ? undefined : people.get(edit.personId)) ?? null,
        at: edit.at,
        previousContent: previous?.content ?? null,
        previousHtml: previous?.html ?? null,
        previousTopic: edit.previousTopic ?? null,
        topic: edit.topic ?? null,
        previousChannelId: previousChannelId ?? null,
        channelId: (edit.channelId === undefined ? undefined : channels.get(edit.channelId)) ?? null,
      },
    ];
  });
}
