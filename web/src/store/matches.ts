/** Whether a message matches a narrow, as far as a client can tell. */
import { conversationKey, conversationOf, directConversation } from "./conversations.ts";
import type { Message } from "./messages.ts";
import type { Narrow, Term } from "./narrow.ts";

/** Returns undefined when only the server can tell. */
export function matches(narrow: Narrow, message: Message, ownId: number): boolean | undefined {
  let isKnown = true;
  for (const term of narrow) {
    const holds = termMatches(term, message, ownId);
    if (holds === undefined) isKnown = false;
    else if (holds === (term.negated === true)) return false;
  }
  return isKnown ? true : undefined;
}

function termMatches({ operator, operand }: Term, message: Message, ownId: number): boolean | undefined {
  switch (operator) {
    case "channel":
      return message.stream_id === operand;
    case "topic":
      return message.stream_id !== undefined && message.subject.toLowerCase() === String(operand).toLowerCase();
    case "dm": {
      if (message.stream_id !== undefined || !Array.isArray(operand)) return false;
      const own = conversationKey(conversationOf(message, ownId));
      return own === conversationKey(directConversation(operand, ownId));
    }
    case "sender":
      return typeof operand === "number" ? message.sender_id === operand : undefined;
    case "is":
      return matchesIs(String(operand), message);
    default:
      return undefined;
  }
}

const mentions = ["mentioned", "stream_wildcard_mentioned", "topic_wildcard_mentioned"];

function matchesIs(what: string, message: Message): boolean | undefined {
  switch (what) {
    case "dm":
      return message.stream_id === undefined;
    case "mentioned":
      return mentions.some((flag) => message.flags.includes(flag));
    case "starred":
      return message.flags.includes("starred");
    case "alerted":
      return message.flags.includes("has_alert_word");
    default:
      return undefined;
  }
}
