import { getBotStorage, removeBotStorage, updateBotStorage } from "@skein/api/bot-storage.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { readStorage, removeFromStorage, writeStorage } from "./actions.ts";

export const botStorageEndpoints: BoundEndpoint[] = [
  handle(getBotStorage, async ({ ctx, user, params }) => ({ storage: await readStorage(ctx.db, user, params.keys) })),

  handle(updateBotStorage, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "update bot storage", (tx) => writeStorage(tx, user, params.storage));
    return {};
  }),

  handle(removeBotStorage, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove from bot storage", (tx) => removeFromStorage(tx, user, params.keys));
    return {};
  }),
];
