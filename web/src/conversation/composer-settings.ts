/** What all composers share: the reader's settings and the server's limits, suggestions, files, preview. */
import { renderMessage } from "@skein/api/routes/messages.ts";
import { call } from "../api/call.ts";
import { sessionToken } from "../api/session.ts";
import type { ComposerProps } from "../composer/composer.tsx";
import { emoji } from "../store/emoji.ts";
import { setEnterSends } from "../store/settings.ts";
import { part } from "../store/state.ts";
import { typeaheadSources } from "./typeahead-sources.ts";

const mebibyte = 1024 ** 2;

type Settings = Pick<
  ComposerProps,
  "enterSends" | "onEnterSends" | "maxLength" | "sources" | "emoji" | "upload" | "largestFile" | "renderPreview"
>;

export const composerSettings = (): Settings => ({
  enterSends: part("user_settings").value?.enter_sends ?? false,
  onEnterSends: setEnterSends,
  maxLength: part("max_message_length").value ?? 10_000,
  sources: typeaheadSources,
  emoji,
  upload: async (file, options) => {
    const { upload } = await import("../api/upload.ts");
    return upload("/json/user_uploads", file, { ...options, headers: { "x-csrftoken": sessionToken() } });
  },
  largestFile: (part("max_file_upload_size_mib").value ?? 25) * mebibyte,
  renderPreview: async (content) => (await call(renderMessage, { content })).rendered,
});
