import type { Page } from "../../http/router.ts";
import { codeToNames } from "../../markdown/emoji.ts";
import { emojiDataPath } from "../realm/state.ts";

let names: string | undefined;

/** What every emoji is called, the same for everybody; clients fetch it once and keep it. */
export const emojiPages: Page[] = [
  {
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
];
