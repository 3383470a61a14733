/**
 * Messages that the server sends at a time the user chose. **Invariant:** a text is in the composer, among the scheduled
 * messages or in the outbox at any time: it leaves one only when another has it.
 */
import "../text/chunks/conversation.ts";
import { Refusal } from "@skein/api/failures.ts";
import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  updateScheduledMessage,
} from "@skein/api/routes/scheduled-messages.ts";
import { call } from "../api/call.ts";
import { t } from "../text/t.ts";
import { deviceZone } from "../text/zones.ts";
import { directConversation, topicConversation, type Conversation } from "./conversations.ts";
import { draftOf, replaceDraft } from "./drafts.ts";
import { perform } from "./operations.ts";
import type { Change } from "./pending.ts";
import { reasonOf } from "./reasons.ts";
import { sendTo } from "./sending.ts";
import { ownId, part } from "./state.ts";
import { toast } from "./toasts.ts";

/** The zone in which the user chooses times. */
export const ownZone = (): string => part("user_settings").value?.timezone || deviceZone();

export const conversationOf = (message: ScheduledMessage): Conversation =>
  message.type === "stream"
    ? topicConversation(message.to, message.topic)
    : directConversation(message.to, ownId.value);

/** Not yet accepted by the server, so it has no id there. */
export const isAccepted = ({ scheduled_message_id }: ScheduledMessage): boolean => scheduled_message_id > 0;

/** Resolves when the server has accepted the change. */
const accepted = (change: Change, request: () => Promise<unknown>): Promise<void> =>
  new Promise((resolve, reject) =>
    perform({
      ...change,
      request: () => request().then(() => resolve()),
      onEnd: (error) => (error === undefined ? resolve() : reject(error)),
    }),
  );

let lastLocalId = 0;

/** Resolves when the server has accepted it. */
export function schedule(conversation: Conversation, content: string, at: number): Promise<void> {
  const scheduled_message_id = --lastLocalId;
  const people = conversation.kind === "topic" ? [] : conversation.userIds;
  const to = people.length === 0 ? [ownId.peek()] : [...people];
  const common = { scheduled_message_id, content, rendered_content: "", failed: false };
  const expected: ScheduledMessage = {
    ...common,
    scheduled_delivery_timestamp: at,
    ...(conversation.kind === "topic"
      ? { type: "stream", to: conversation.channelId, topic: conversation.topic }
      : { type: "private", to }),
  };
  return accepted(
    {
      key: `scheduled ${scheduled_message_id}`,
      event: { type: "scheduled_messages", op: "add", scheduled_messages: [expected] },
      isConfirmedBy: (event) =>
        event.type === "scheduled_messages" &&
        event.op === "add" &&
        event.scheduled_messages.some(
          (added) => added.scheduled_delivery_timestamp === at && added.content === content,
        ),
    },
    () =>
      call(createScheduledMessage, {
        ...(conversation.kind === "topic"
          ? { type: "channel", to: conversation.channelId, topic: conversation.topic }
          : { type: "direct", to }),
        content,
        scheduled_delivery_timestamp: at,
        read_by_sender: true,
      }),
  );
}

/** Resolves when the server has accepted it. */
export function changeScheduled(message: ScheduledMessage, content: string, at: number): Promise<void> {
  const { scheduled_message_id } = message;
  // A failed message needs a time, and any other keeps its own, which may be seconds away.
  const isMoved = message.failed || at !== message.scheduled_delivery_timestamp;
  return accepted(
    {
      key: `scheduled ${scheduled_message_id}`,
      event: {
        type: "scheduled_messages",
        op: "update",
        scheduled_message: {
          ...message,
          content,
          rendered_content: "",
          scheduled_delivery_timestamp: at,
          failed: false,
        },
      },
      isConfirmedBy: (event) =>
        event.type === "scheduled_messages" &&
        event.op === "update" &&
        event.scheduled_message.scheduled_message_id === scheduled_message_id &&
        event.scheduled_message.scheduled_delivery_timestamp === at,
    },
    () =>
      call(updateScheduledMessage, {
        scheduled_message_id,
        content,
        ...(isMoved && { scheduled_delivery_timestamp: at }),
      }),
  );
}

const remove = ({ scheduled_message_id }: ScheduledMessage): Promise<void> =>
  accepted(
    {
      key: `scheduled ${scheduled_message_id}`,
      event: { type: "scheduled_messages", op: "remove", scheduled_message_id },
    },
    () => call(deleteScheduledMessage, { scheduled_message_id }),
  );

const showFailure = (error: unknown): void => void toast(reasonOf(error), { kind: "danger" });

export async function cancelScheduled(message: ScheduledMessage): Promise<void> {
  const conversation = conversationOf(message);
  const { content, scheduled_delivery_timestamp: at } = message;
  try {
    await remove(message);
    toast(t("scheduled.canceled"), {
      undo: () =>
        void schedule(conversation, content, at).catch((error: unknown) => {
          // Its time has passed, for example.
          addToDraft(conversation, content);
          showFailure(error);
        }),
    });
  } catch (error) {
    showFailure(error);
  }
}

export async function sendNow(message: ScheduledMessage): Promise<void> {
  const conversation = conversationOf(message);
  try {
    await remove(message);
    sendTo(conversation, message.content);
  } catch (error) {
    // Without a response it may be gone.
    if (!(error instanceof Refusal)) addToDraft(conversation, message.content);
    showFailure(error);
  }
}

/** Moves a text back to where it can be edited, below what was written there since. */
export function addToDraft(conversation: Conversation, content: string): void {
  const begun = draftOf(conversation)?.text ?? "";
  replaceDraft(conversation, begun.trim() === "" ? content : `${begun}\n\n${content}`);
}
