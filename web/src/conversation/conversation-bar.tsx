/** In a mixed list, the bar above a group of messages: the conversation they belong to, as a link. */
import { findChannel } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { ConversationName } from "../parts/conversation-name.tsx";
import styles from "./conversation-bar.module.css";

interface ConversationBarProps {
  conversation: Conversation;
  address: string;
}

export const ConversationBar = ({ conversation, address }: ConversationBarProps) => (
  <a
    class={styles.bar}
    href={address}
    style={{ "--channel": conversation.kind === "topic" ? findChannel(conversation.channelId)?.color : undefined }}
  >
    <ConversationName conversation={conversation} />
  </a>
);
