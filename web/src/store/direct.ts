/** Direct conversations, most recent first. The user's own notes, and people they have never written to, are not included. */
import { computed } from "@preact/signals";
import { directConversation, type DirectConversation } from "./conversations.ts";
import { ownId, part } from "./state.ts";

export const directConversations = computed((): readonly DirectConversation[] =>
  (part("recent_private_conversations").value ?? []).map(({ user_ids }) => directConversation(user_ids, ownId.value)),
);
