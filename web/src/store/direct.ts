/** Direct conversations, the latest first; notes to oneself and people one has never written to come by other ways. */
import { computed } from "@preact/signals";
import { directConversation, type DirectConversation } from "./conversations.ts";
import { ownId, part } from "./state.ts";

export const directConversations = computed((): readonly DirectConversation[] =>
  (part("recent_private_conversations").value ?? []).map(({ user_ids }) => directConversation(user_ids, ownId.value)),
);
