/** Serves the names of all emoji and the pictures of custom emoji. */
import type { Context } from "../../../context.ts";
import type { Page } from "../../../http/page.ts";
import { codeToNames } from "../../../markdown/emoji.ts";
import { emojiPath, findEmojiKey } from "./file.ts";

export const emojiDataPath = "/static/emoji-names.json";

let names: string | undefined;

export const emojiPages = (ctx: Context): Page[] => [
  {
    // The same for all users; clients fetch it once and cache it.
    path: emojiDataPath,
    serve: async () => {
      names ??= JSON.stringify({ code_to_names: Object.fromEntries(codeToNames) });
      return {
        status: 200,
        type: "application/json; charset=utf-8",
        headers: { "Cache-Control": "public, max-age=86400" },
        body: names,
      };
    },
  },
  {
    // Clients load it without credentials, as part of a message. The URL cannot be guessed, so only readers know it.
    path: emojiPath,
    serve: async ({ params }) => {
      const key = findEmojiKey(params["realm_id"] ?? "", params["file_name"] ?? "");
      const file = key === undefined ? undefined : await ctx.files.get(key);
      if (!file) return { status: 404, type: "text/plain; charset=utf-8", body: "" };
      return {
        status: 200,
        type: file.contentType,
        headers: {
          "Cache-Control": "public, max-age=31536000, immutable",
          "X-Content-Type-Options": "nosniff",
          "Content-Security-Policy": "default-src 'none'; sandbox",
        },
        body: file.bytes,
      };
    },
  },
];
