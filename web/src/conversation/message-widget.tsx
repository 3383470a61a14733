/** A poll, task list or bot's question in its message. */
import "../text/chunks/conversation.ts";
import { place } from "../navigation/router.ts";
import { MessageContent } from "../content/message-content.tsx";
import { widgetOf } from "../content/widget-state.ts";
import { ChoicesWidget, PollWidget, TaskListWidget } from "../content/widgets.tsx";
import { conversationTitle } from "../store/conversation-title.ts";
import { conversationOf, isSameConversation } from "../store/conversations.ts";
import type { Message } from "../store/messages.ts";
import { findKnownPerson } from "../store/people.ts";
import { reasonNotToWrite } from "../store/permissions.ts";
import { sendTo } from "../store/sending.ts";
import { ownId } from "../store/state.ts";
import { takeStep } from "../store/widget-steps.ts";
import { t } from "../text/t.ts";
import { toast } from "../store/toasts.ts";

export default function MessageWidget({ message }: { message: Message }) {
  const state = widgetOf(message.sender_id, message.submessages);
  const onStep = (step: Record<string, unknown>): void => takeStep(message.id, step);
  const isAuthor = message.sender_id === ownId.value;
  if (state === undefined) return <MessageContent html={message.content} />;
  if (state.kind === "todo") return <TaskListWidget state={state} isAuthor={isAuthor} onStep={onStep} />;
  if (state.kind === "choices") {
    const conversation = conversationOf(message, ownId.value);
    const sendReply = (reply: string): void => {
      sendTo(conversation, reply);
      const at = place.peek();
      const isHere = at.kind === "conversation" && isSameConversation(at.conversation, conversation);
      if (!isHere) toast(t("choices.sent", { name: conversationTitle(conversation) }));
    };
    return (
      <ChoicesWidget state={state} onChoose={reasonNotToWrite(conversation) === undefined ? sendReply : undefined} />
    );
  }
  return (
    <PollWidget
      state={state}
      userId={ownId.value}
      isAuthor={isAuthor}
      nameOf={(id) => findKnownPerson(id)?.full_name}
      onStep={onStep}
    />
  );
}
