import * as api from "@skein/api/playgrounds.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addPlayground, removePlayground } from "./actions.ts";
import { audited } from "../audit/audited.ts";

export const playgroundEndpoints: BoundEndpoint[] = [
  handle(api.addPlayground, async ({ ctx, user, params, request }) => {
    const id = await transaction(ctx.db, "add playground", (tx) =>
      audited(tx, { user, request }, { kind: "playground", id: (made) => made, action: "playground.create" }, () =>
        addPlayground(tx, user, params),
      ),
    );
    return { id };
  }),

  handle(api.removePlayground, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "remove playground", (tx) =>
      audited(
        tx,
        { user, request },
        { kind: "playground", id: params.playground_id, action: "playground.delete" },
        () => removePlayground(tx, user, params.playground_id),
      ),
    );
    return {};
  }),
];
