/** What a call wants to change about a message, and whether that makes sense at all. */
import type { updateMessage } from "@skein/api/edits.ts";
import type { ParamsOf } from "@skein/api/endpoint.ts";
import type { PropagateMode } from "@skein/api/message-updates.ts";
import { emptyTopicDisplayName } from "@skein/api/messages.ts";
import { ApiError } from "../../errors.ts";
import type { Realm } from "../../http/sessions.ts";
import type { SeenMessage } from "../messages/in-hand.ts";
import { normalizeTopic } from "../topics/name.ts";
import { resolvedMark } from "../topics/resolved.ts";

export interface Wish {
  content: string | undefined;
  topic: string | undefined;
  channelId: number | undefined;
  propagateMode: PropagateMode;
  /** Whether a notice is to tell of a move where it began, and where it ended. */
  tellOldThread: boolean;
  tellNewThread: boolean;
}

/** What stands for a text that was taken away altogether. */
const emptied = "(deleted)";

export function readWish(realm: Realm, params: ParamsOf<typeof updateMessage>): Wish {
  const { content, topic, stream_id: channelId, propagate_mode: propagateMode } = params;
  if (content === undefined && topic === undefined && channelId === undefined) throw nothingToChange();
  if (propagateMode !== "change_one" && topic === undefined && channelId === undefined)
    throw new ApiError("Invalid propagate_mode without topic edit");
  if (content !== undefined && channelId !== undefined)
    throw new ApiError("Cannot change message content while changing channel");
  return {
    content: content?.trim() === "" ? emptied : content,
    topic: topic === undefined ? undefined : readTopic(realm, topic),
    channelId,
    propagateMode,
    tellOldThread: params.send_notification_to_old_thread,
    tellNewThread: params.send_notification_to_new_thread,
  };
}

export const nothingToChange = (): ApiError => new ApiError("Nothing to change");

const emptyResolved = new Set([resolvedMark.trim(), resolvedMark + emptyTopicDisplayName]);

function readTopic(realm: Realm, text: string): string {
  if (emptyResolved.has(text.trim())) throw new ApiError("General chat cannot be marked as resolved");
  return normalizeTopic(realm, text);
}

/** The wish without what is so already; throws when the message cannot be changed like that. */
export function wishFor(message: SeenMessage, wish: Wish): Wish {
  if (message.topic === null && wish.channelId !== undefined)
    throw new ApiError("Direct messages cannot be moved to channels.");
  if (message.topic === null && wish.topic !== undefined) throw new ApiError("Direct messages cannot have topics.");
  const isElsewhere = wish.channelId !== message.conversation_id;
  const left = {
    ...wish,
    topic: wish.topic === message.topic ? undefined : wish.topic,
    channelId: isElsewhere ? wish.channelId : undefined,
  };
  if (left.content === undefined && left.topic === undefined && left.channelId === undefined) throw nothingToChange();
  return left;
}
