/** What a request wants to change about a message, and whether that makes sense at all. */
import { createHash } from "node:crypto";
import type { updateMessage } from "@skein/api/edits.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { PropagateMode } from "@skein/api/message-updates.ts";
import { emptyTopicDisplayName } from "@skein/api/messages.ts";
import { ApiError, expectationMismatch } from "../../../errors.ts";
import type { MessageRow, SeenMessage } from "../send/locked-message.ts";
import { readTopic } from "../../channels/topics/name.ts";
import { resolvedMark } from "../../channels/topics/resolved.ts";

export interface EditRequest {
  content: string | undefined;
  /** The SHA-256 of the text that the client believes the message to have, in hex. */
  expectedHash: string | undefined;
  topic: string | undefined;
  channelId: number | undefined;
  propagateMode: PropagateMode;
  /** Whether to post a notice about a move in the old and in the new topic. */
  notifyOldThread: boolean;
  notifyNewThread: boolean;
}

/** The text of a message whose content was removed. */
const emptied = "(deleted)";

export function readEditRequest(params: ParamsOf<typeof updateMessage>): EditRequest {
  const { content, topic, stream_id: channelId, propagate_mode: propagateMode } = params;
  if (content === undefined && topic === undefined && channelId === undefined) throw nothingToChange();
  if (propagateMode !== "change_one" && topic === undefined && channelId === undefined)
    throw new ApiError("Invalid propagate_mode without topic edit");
  if (content !== undefined && channelId !== undefined)
    throw new ApiError("Cannot change message content while changing channel");
  return {
    content: content?.trim() === "" ? emptied : content,
    expectedHash: params.prev_content_sha256?.toLowerCase(),
    topic: topic === undefined ? undefined : readNewTopic(topic),
    channelId,
    propagateMode,
    notifyOldThread: params.send_notification_to_old_thread,
    notifyNewThread: params.send_notification_to_new_thread,
  };
}

/** Throws if somebody has edited the text since the client read it. */
export function demandExpected({ content }: Pick<MessageRow, "content">, { expectedHash }: EditRequest): void {
  if (expectedHash === undefined || createHash("sha256").update(content).digest("hex") === expectedHash) return;
  throw expectationMismatch("prev_content_sha256");
}

export const nothingToChange = (): ApiError => new ApiError("Nothing to change");

const emptyResolved = new Set([resolvedMark.trim(), resolvedMark + emptyTopicDisplayName]);

function readNewTopic(text: string): string {
  if (emptyResolved.has(text.trim())) throw new ApiError("General chat cannot be marked as resolved");
  return readTopic(text);
}

/** The request without what is already the case; throws if the message cannot be changed like this. */
export function remainingChanges(message: SeenMessage, request: EditRequest): EditRequest {
  if (message.topic === null && request.channelId !== undefined)
    throw new ApiError("Direct messages cannot be moved to channels.");
  if (message.topic === null && request.topic !== undefined) throw new ApiError("Direct messages cannot have topics.");
  const isElsewhere = request.channelId !== message.conversation_id;
  const remaining = {
    ...request,
    topic: request.topic === message.topic ? undefined : request.topic,
    channelId: isElsewhere ? request.channelId : undefined,
  };
  if (remaining.content === undefined && remaining.topic === undefined && remaining.channelId === undefined)
    throw nothingToChange();
  return remaining;
}
