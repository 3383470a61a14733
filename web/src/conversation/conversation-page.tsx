/** A topic or a direct conversation: its messages, and the composer that writes to it and nothing else. */
import { useEffect, useMemo } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import page from "../parts/page.module.css";
import { correct, place } from "../navigation/router.ts";
import {
  conversationOf,
  conversationKey,
  isSameConversation,
  narrowOf,
  type Conversation,
} from "../store/conversations.ts";
import { onEvent } from "../store/events.ts";
import { openList } from "../store/lists.ts";
import { findMessage } from "../store/messages.ts";
import { keptUnread, markConversationRead, markRead } from "../store/reading.ts";
import { reasonNotToWrite } from "../store/permissions.ts";
import { echoesIn } from "../store/sending.ts";
import { ownId, part } from "../store/state.ts";
import { firstUnreadIn, unreadIn } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { toast } from "../store/toasts.ts";
import { announceArrivals } from "./announce-arrivals.ts";
import { ConversationComposer } from "./conversation-composer.tsx";
import { ConversationHeader } from "./conversation-header.tsx";
import { conversationTitle } from "../store/conversation-title.ts";
import styles from "./conversation-page.module.css";
import { MessageList } from "./message-list.tsx";
import { NextUnread } from "./next-unread.tsx";
import { NoPosting } from "./no-posting.tsx";
import type { Opening } from "./opening.ts";
import { TypingNotice } from "./typing-notice.tsx";

interface ConversationPageProps {
  conversation: Conversation;
  near: number | undefined;
  withId: number | undefined;
}

export function ConversationPage({ conversation, near, withId }: ConversationPageProps) {
  const key = conversationKey(conversation);
  const list = useMemo(() => openList(narrowOf(conversation, ownId.peek())), [key]);
  const opening = useMemo((): Opening => {
    if (near !== undefined) return { at: "message", id: near };
    const unread = firstUnreadIn(conversation);
    return unread === undefined ? { at: "newest" } : { at: "first unread", id: unread };
  }, [key, near]);
  const policy = part("user_settings").value?.web_mark_read_on_scroll_policy ?? 1;
  const kept = keptUnread.value?.listKey === list.key ? keptUnread.value : undefined;
  const marksRead = policy < 3 && kept === undefined;
  useEffect(() => {
    keptUnread.value = undefined;
  }, [key]);

  useEffect(() => followMoves(conversation), [key]);
  useEffect(() => announceArrivals(conversation), [key]);

  const isElsewhere = withId !== undefined && movedTo(withId, conversation) !== undefined;
  useEffect(() => {
    const moved = withId === undefined ? undefined : movedTo(withId, conversation);
    if (moved) correct({ kind: "conversation", conversation: moved, with: withId as number }); // moved only with an id
  }, [isElsewhere]);

  const reason = reasonNotToWrite(conversation);
  return (
    <div class={page.page}>
      <ConversationHeader conversation={conversation} />
      <MessageList
        key={key}
        list={list}
        label={conversationTitle(conversation)}
        opening={opening}
        echoes={echoesIn(conversation)}
        isMixed={false}
        withId={withId}
        newFromId={kept?.fromId}
        onOpened={(newestId) => {
          const moved = movedTo(newestId, conversation);
          if (moved) correct({ kind: "conversation", conversation: moved });
        }}
        onSeen={marksRead ? markRead : undefined}
        onSkipped={() => offerToMark(conversation)}
        empty={
          <Empty icon="message-circle" title={t("conversation.empty")}>
            {reason === undefined && (
              <p>{t(conversation.kind === "topic" ? "conversation.emptyTopic" : "conversation.emptyDirect")}</p>
            )}
          </Empty>
        }
        ending={<NextUnread conversation={conversation} />}
      />
      <div class={styles.foot}>
        {kept && (
          <p class={styles.kept}>
            {t("reading.kept")}
            <Button
              kind="quiet"
              onClick={() => {
                keptUnread.value = undefined;
                markConversationRead(conversation);
              }}
            >
              {t("conversation.markRead")}
            </Button>
          </p>
        )}
        <TypingNotice conversation={conversation} />
        {reason === undefined ? <ConversationComposer conversation={conversation} /> : <NoPosting reason={reason} />}
      </div>
    </div>
  );
}

/** When the reader jumps past unread messages, asks whether to mark them as read. */
function offerToMark(conversation: Conversation): void {
  const count = unreadIn(conversation)?.ids.length ?? 0;
  if (count === 0) return;
  toast(t("reading.skipped", { count }), {
    action: { label: t("conversation.markRead"), run: () => markConversationRead(conversation) },
  });
}

/** A message's current conversation, if it differs from the address. */
function movedTo(id: number, conversation: Conversation): Conversation | undefined {
  const message = findMessage(id)?.value;
  if (!message || conversation.kind === "direct" || message.stream_id === undefined) return undefined;
  const now = conversationOf(message, ownId.value);
  return isSameConversation(now, conversation) ? undefined : now;
}

/** A topic that is renamed while it is open stays open under its new name. */
const followMoves = (conversation: Conversation): (() => void) =>
  onEvent((event) => {
    if (event.type !== "update_message" || event.orig_subject === undefined || conversation.kind === "direct") return;
    if (event.propagate_mode !== "change_all" || event.stream_id !== conversation.channelId) return;
    if (event.orig_subject.toLowerCase() !== conversation.topic.toLowerCase()) return;
    const { kind } = place.peek();
    if (kind !== "conversation") return;
    correct({
      kind,
      conversation: {
        kind: "topic",
        channelId: event.new_stream_id ?? event.stream_id,
        topic: event.subject ?? event.orig_subject,
      },
      with: event.message_id,
    });
  });
