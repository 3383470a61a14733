import * as api from "@skein/api/submessages.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { addSubmessage } from "./actions.ts";

export const submessageEndpoints: BoundEndpoint[] = [
  handle(api.addSubmessage, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "add submessage", (tx) => addSubmessage(tx, user, params));
    return {};
  }),
];
