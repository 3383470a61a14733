import * as api from "@skein/api/reports.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { report } from "./report.ts";

export const reportEndpoints: BoundEndpoint[] = [
  handle(api.reportMessage, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "report message", (tx) => report(tx, ctx, user, params));
    return {};
  }),
];
