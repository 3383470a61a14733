/** The names of all emoji, and the pictures of an organization's own. */
import type { Context } from "../../context.ts";
import type { Page } from "../../http/router.ts";
import { codeToNames } from "../../markdown/emoji.ts";
import { emojiDataPath } from "../realm/state.ts";
import { emojiPath, findEmojiKey } from "./file.ts";

let names: string | undefined;

export const emojiPages = (ctx: Context): Page[] => [
  {
    // The same for everybody; clients fetch it once and keep it.
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
    // Clients load it without credentials, as part of a message; who knows the address was shown the emoji.
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
