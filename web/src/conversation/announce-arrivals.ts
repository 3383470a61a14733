/** Announces new messages of the open conversation to screen readers, one by one while they are few. */
import { conversationOf, isSameConversation, type Conversation } from "../store/conversations.ts";
import { onEvent } from "../store/events.ts";
import { isMutedPerson } from "../store/muted-people.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { announce } from "../store/announcements.ts";

const together = 3000;
const maxAnnounced = 3;
const longest = 200;

export function announceArrivals(conversation: Conversation): () => void {
  let recent: number[] = [];
  return onEvent((event) => {
    if (event.type !== "message" || event.message.sender_id === ownId.peek()) return;
    if (isMutedPerson(event.message.sender_id)) return;
    if (!isSameConversation(conversationOf(event.message, ownId.peek()), conversation)) return;
    const now = Date.now();
    recent = [...recent.filter((time) => now - time < together), now];
    if (recent.length > maxAnnounced) announce(t("message.arrived", { count: recent.length }));
    else announce(`${event.message.sender_full_name}: ${plainText(event.message.content)}`);
  });
}

/** The text a screen reader would read for the HTML; it is never shown. */
const plainText = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .slice(0, longest);
