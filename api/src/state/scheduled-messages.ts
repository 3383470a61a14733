import type { z } from "zod";
import type { scheduledMessageEvents } from "../scheduled-messages.ts";
import { change, type FollowedState } from "./followed-state.ts";
import { byDelivery } from "./order.ts";

type ScheduledMessageEvent = z.output<(typeof scheduledMessageEvents)[number]>;

export function applyScheduledMessageEvent(state: FollowedState, event: ScheduledMessageEvent): FollowedState {
  return change(state, "scheduled_messages", (messages) => {
    switch (event.op) {
      case "add":
        return [...messages, ...event.scheduled_messages].toSorted(byDelivery);
      case "update": {
        const { scheduled_message: changed } = event;
        return messages
          .map((one) => (one.scheduled_message_id === changed.scheduled_message_id ? changed : one))
          .toSorted(byDelivery);
      }
      case "remove":
        return messages.filter((one) => one.scheduled_message_id !== event.scheduled_message_id);
    }
  });
}
