/** A poll or a task list in its message. */
import { MessageContent } from "../content/message-content.tsx";
import { widgetOf } from "../content/widget-state.ts";
import { PollWidget, TaskListWidget } from "../content/widgets.tsx";
import type { Message } from "../store/messages.ts";
import { peopleById } from "../store/people.ts";
import { ownId } from "../store/state.ts";
import { takeStep } from "../store/widget-steps.ts";

export default function MessageWidget({ message }: { message: Message }) {
  const state = widgetOf(message.sender_id, message.submessages);
  const onStep = (step: Record<string, unknown>): void => takeStep(message.id, step);
  if (state === undefined) return <MessageContent html={message.content} />;
  if (state.kind === "todo") return <TaskListWidget state={state} onStep={onStep} />;
  return (
    <PollWidget
      state={state}
      userId={ownId.value}
      nameOf={(id) => peopleById.value.get(id)?.full_name}
      onStep={onStep}
    />
  );
}
