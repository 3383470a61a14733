/** The composer of the conversation on screen. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { Composer, type Drafts } from "../composer/composer.tsx";
import { conversationKey, type Conversation } from "../store/conversations.ts";
import { draftOf, keepDraft, onDraftFromElsewhere } from "../store/drafts.ts";
import { sendTo } from "../store/sending.ts";
import { TypingSender } from "../store/typing-sender.ts";
import { t } from "../text/t.ts";
import { composerHandle } from "../commands/composer-handle.ts";
import { composerSettings } from "./composer-settings.ts";
import { ComposerWarnings, reasonNotToSend } from "./composer-warnings.tsx";
import { conversationTitle } from "../store/conversation-title.ts";
import { editLastOwn } from "./edit-last.ts";
import { listControls } from "../commands/selection.ts";
import { Lazy } from "../ui/lazy.tsx";

const scheduleMenu = () => import("./schedule-menu.tsx");

/** The conversations that this page's drafts belong to: an upload may finish after the user has moved on. */
const conversations = new Map<string, Conversation>();

const drafts: Drafts = {
  read: (key) => {
    const conversation = conversations.get(key);
    return (conversation && draftOf(conversation)?.text) ?? "";
  },
  write: (key, text) => {
    const conversation = conversations.get(key);
    if (conversation) keepDraft(conversation, text);
  },
  watch: (key, changed) => onDraftFromElsewhere((draft) => draft.key === key && changed(draft.text)),
};

export function ConversationComposer({ conversation }: { conversation: Conversation }) {
  const key = conversationKey(conversation);
  conversations.set(key, conversation);
  const typing = useMemo(() => new TypingSender(conversation), [key]);
  const [text, setText] = useState("");
  useEffect(() => setText(drafts.read(key)), [key]);
  const isTouch = useRef(matchMedia("(pointer: coarse)").matches);
  useEffect(() => () => typing.stop(), [typing]);

  return (
    <Composer
      label={t("composer.label", { name: conversationTitle(conversation) })}
      draftKey={key}
      drafts={drafts}
      {...composerSettings()}
      blocked={reasonNotToSend(conversation, text)}
      warnings={<ComposerWarnings conversation={conversation} text={text} />}
      onSend={(sent) => {
        typing.stop();
        setText("");
        sendTo(conversation, sent);
      }}
      onTextChange={(now) => {
        typing.changed(now);
        // Only a text that mentions someone can need a warning.
        setText(now.includes("@") ? now : "");
      }}
      sendLater={(menu) => <Lazy load={scheduleMenu} props={{ ...menu, conversation }} />}
      onEditLast={() => editLastOwn(conversation)}
      onLeave={() => listControls.peek()?.focus()}
      autofocus={!isTouch.current}
      handle={(handle) => {
        composerHandle.value = handle;
      }}
    />
  );
}
