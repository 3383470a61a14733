import * as api from "@skein/api/playgrounds.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addPlayground, removePlayground } from "./actions.ts";

export const playgroundEndpoints: BoundEndpoint[] = [
  handle(api.addPlayground, async ({ ctx, user, params }) => {
    const id = await transaction(ctx.db, "add playground", (tx) => addPlayground(tx, user, params));
    return { id };
  }),

  handle(api.removePlayground, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove playground", (tx) => removePlayground(tx, user, params.playground_id));
    return {};
  }),
];
