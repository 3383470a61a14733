/** Forwards a message as a quote: choose the destination here, write a comment there. */
import "../text/chunks/people.ts";
import "../text/chunks/message-actions.ts";
import { untracked } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { quoted, write } from "../commands/selected-message.ts";
import { bestOf, Matcher, type Ranked } from "../text/matching.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { MoreTopics, rankTopics } from "../store/more-topics.ts";
import { conversationKey, directConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { peopleMatcher } from "../store/people-matcher.ts";
import { ownId } from "../store/state.ts";
import { inboxOrder } from "../store/unread.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { Dialog } from "../ui/dialog.tsx";

interface ForwardDialogProps {
  message: Message;
  onClose: () => void;
}

const most = 8;

/** Conversations in use, which come before other people with the same rank. */
function knownConversations(): Conversation[] {
  const all: Conversation[] = [
    ...inboxOrder.peek().map(({ conversation }) => conversation),
    ...directConversations.peek(),
  ];
  return [...new Map(all.map((conversation) => [conversationKey(conversation), conversation])).values()];
}

/** Known conversations, everyone, and all topics. */
function suggest(matcher: Matcher<Conversation>, query: string): Conversation[] {
  const people = peopleMatcher.value
    .rank(query, most, () => 0)
    .map((found): Ranked<Conversation> => ({ ...found, item: directConversation([found.item.user_id], ownId.value) }));
  const found = [...matcher.rank(query, most, () => 0), ...people, ...rankTopics(query, most)];
  const unique = new Map(bestOf(found, 3 * most).map((conversation) => [conversationKey(conversation), conversation]));
  return [...unique.values()].slice(0, most);
}

const toChip = (conversation: Conversation): Chip => ({
  key: conversationKey(conversation),
  label: conversationTitle(conversation),
  icon: conversation.kind === "topic" ? "message-square" : "user",
});

export function ForwardDialog({ message, onClose }: ForwardDialogProps) {
  const matcher = useMemo(() => untracked(() => new Matcher(knownConversations(), conversationTitle)), []);
  const offered = useRef(new Map<string, Conversation>());
  const more = useMemo(() => new MoreTopics(), []);
  useEffect(() => () => more.stop(), []);
  const [chosen, setChosen] = useState<Chip>();
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    const conversation = chosen && offered.current.get(chosen.key);
    if (!conversation) return;
    try {
      const text = await quoted(message);
      onClose();
      write(conversation, text);
    } catch (failure) {
      setError(reasonOf(failure));
    }
  };
  return (
    <Dialog
      title={t("message.forward")}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <Button kind="primary" type="submit" aria-disabled={!chosen}>
          {t("forward.submit")}
        </Button>
      }
    >
      <ChipsField
        label={t("direct.to")}
        error={error}
        chips={chosen ? [chosen] : []}
        onChange={(chips) => setChosen(chips.at(-1))}
        suggest={(query) => {
          more.want(query);
          const found = suggest(matcher, query);
          for (const conversation of found) offered.current.set(conversationKey(conversation), conversation);
          return found.map(toChip);
        }}
        autofocus
      />
    </Dialog>
  );
}
