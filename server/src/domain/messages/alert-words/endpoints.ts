import * as api from "@skein/api/alert-words.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addAlertWords, removeAlertWords } from "./actions.ts";
import { listAlertWords } from "./queries.ts";

export const alertWordEndpoints: BoundEndpoint[] = [
  handle(api.getAlertWords, async ({ ctx, user }) => ({ alert_words: await listAlertWords(ctx.db, user) })),

  handle(api.addAlertWords, async ({ ctx, user, params }) => ({
    alert_words: await transaction(ctx.db, "add alert words", (tx) => addAlertWords(tx, user, params.alert_words)),
  })),

  handle(api.removeAlertWords, async ({ ctx, user, params }) => ({
    alert_words: await transaction(ctx.db, "remove alert words", (tx) =>
      removeAlertWords(tx, user, params.alert_words),
    ),
  })),
];
