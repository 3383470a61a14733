/** Forwards a message as a quote: choose the destination here, write a comment there. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { quoted, write } from "../commands/selected-message.ts";
import { bestOf, Matcher } from "../text/matching.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { MoreTopics, rankTopics } from "../store/more-topics.ts";
import { conversationKey, directConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/reasons.ts";
import { activePeople } from "../store/people.ts";
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

function targets(): Map<string, Conversation> {
  const all: Conversation[] = [
    ...inboxOrder.value.map(({ conversation }) => conversation),
    ...directConversations.value,
    ...activePeople.value.map(({ user_id }) => directConversation([user_id], ownId.value)),
  ];
  return new Map(all.map((conversation) => [conversationKey(conversation), conversation]));
}

/** Known conversations, and all topics. */
function suggest(matcher: Matcher<Conversation>, query: string): Conversation[] {
  const found = [...matcher.rank(query, most, () => 0), ...rankTopics(query, most)];
  const unique = new Map(bestOf(found, 2 * most).map((conversation) => [conversationKey(conversation), conversation]));
  return [...unique.values()].slice(0, most);
}

const toChip = (conversation: Conversation): Chip => ({
  key: conversationKey(conversation),
  label: conversationTitle(conversation),
  icon: conversation.kind === "topic" ? "message-square" : "user",
});

export function ForwardDialog({ message, onClose }: ForwardDialogProps) {
  const matcher = useMemo(() => new Matcher([...targets().values()], conversationTitle), []);
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
