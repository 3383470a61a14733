/** In a mixed list, the bar above a group of messages: the conversation they belong to, as a link. */
import { findChannel } from "../store/channels.ts";
import type { Conversation } from "../store/conversations.ts";
import { ConversationName } from "../parts/conversation-name.tsx";
import styles from "./conversation-bar.module.css";

interface ConversationBarProps {
  conversation: Conversation;
  address: string;
  /** The topic as HTML with the matches of a search highlighted. */
  match?: string | undefined;
}

export const ConversationBar = ({ conversation, address, match }: ConversationBarProps) => (
  <a
    class={styles.bar}
    href={address}
    style={{ "--channel": conversation.kind === "topic" ? findChannel(conversation.channelId)?.color : undefined }}
  >
    <ConversationName conversation={conversation} match={match} />
  </a>
);
