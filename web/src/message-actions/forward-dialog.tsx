/** A message quoted somewhere else: where to is chosen here, what to say with it is written there. */
import { useMemo, useState } from "preact/hooks";
import { quoted, write } from "../app/selected-message.ts";
import { Matcher } from "../composer/matching.ts";
import { conversationTitle } from "../conversation/conversation-name.tsx";
import { conversationKey, directConversation, topicConversation, type Conversation } from "../store/conversations.ts";
import { directConversations } from "../store/direct.ts";
import type { Message } from "../store/messages.ts";
import { reasonOf } from "../store/optimistic.ts";
import { activePeople } from "../store/people.ts";
import { ownId } from "../store/state.ts";
import { knownTopics } from "../store/topics.ts";
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
    ...knownTopics().map(({ channelId, name }) => topicConversation(channelId, name)),
    ...directConversations.value,
    ...activePeople.value.map(({ user_id }) => directConversation([user_id], ownId.value)),
  ];
  return new Map(all.map((conversation) => [conversationKey(conversation), conversation]));
}

const toChip = (conversation: Conversation): Chip => ({
  key: conversationKey(conversation),
  label: conversationTitle(conversation),
  icon: conversation.kind === "topic" ? "message-square" : "user",
});

export function ForwardDialog({ message, onClose }: ForwardDialogProps) {
  const byKey = useMemo(targets, []);
  const matcher = useMemo(() => new Matcher([...byKey.values()], conversationTitle), []);
  const [chosen, setChosen] = useState<Chip>();
  const [error, setError] = useState<string>();
  const submit = async (): Promise<void> => {
    const conversation = chosen && byKey.get(chosen.key);
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
        suggest={(query) => matcher.find(query, most).map(toChip)}
        autofocus
      />
    </Dialog>
  );
}
