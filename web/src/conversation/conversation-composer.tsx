/** The composer of the conversation on screen. */
import { useEffect, useMemo, useRef } from "preact/hooks";
import { renderMessage } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { csrfToken } from "../api/session.ts";
import { Composer, type Drafts } from "../composer/composer.tsx";
import { upload } from "../files/upload.ts";
import { conversationKey, type Conversation } from "../store/conversations.ts";
import { draftOf, keepDraft } from "../store/drafts.ts";
import { sendTo } from "../store/sending.ts";
import { part } from "../store/state.ts";
import { TypingSender } from "../store/typing-sender.ts";
import { t } from "../text/t.ts";
import { composerHandle } from "./composer-handle.ts";
import { conversationTitle } from "./conversation-name.tsx";
import { listControls } from "./selection.ts";
import { typeaheadSources } from "./typeahead-sources.ts";

const mebibyte = 1024 ** 2;

/** The conversations drafts of this page belong to: a file may arrive when another one is on screen. */
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
};

export function ConversationComposer({ conversation }: { conversation: Conversation }) {
  const key = conversationKey(conversation);
  conversations.set(key, conversation);
  const settings = part("user_settings").value;
  const typing = useMemo(() => new TypingSender(conversation), [key]);
  const isTouch = useRef(matchMedia("(pointer: coarse)").matches);
  useEffect(() => () => typing.stop(), [typing]);

  return (
    <Composer
      label={t("composer.label", { name: conversationTitle(conversation) })}
      draftKey={key}
      drafts={drafts}
      enterSends={settings?.enter_sends ?? false}
      maxLength={part("max_message_length").value ?? 10_000}
      sources={typeaheadSources}
      upload={(file, options) =>
        upload("/json/user_uploads", file, { ...options, headers: { "x-csrftoken": csrfToken() } })
      }
      largestFile={(part("max_file_upload_size_mib").value ?? 25) * mebibyte}
      renderPreview={async (content) => (await call(renderMessage, { content })).rendered}
      onSend={(text) => {
        typing.stop();
        sendTo(conversation, text);
      }}
      onTextChange={(text) => typing.changed(text)}
      onLeave={() => listControls.peek()?.focus()}
      autofocus={!isTouch.current}
      handle={(handle) => {
        composerHandle.value = handle;
      }}
    />
  );
}
