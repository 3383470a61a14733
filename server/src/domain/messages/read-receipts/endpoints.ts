import { getReadReceipts } from "@skein/api/read-receipts.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { listReaders } from "./queries.ts";

export const readReceiptEndpoints: BoundEndpoint[] = [
  handle(
    getReadReceipts,
    async ({ ctx, user, params }) => ({ user_ids: await listReaders(ctx.db, user, params.message_id) }),
    "inside",
  ),
];
