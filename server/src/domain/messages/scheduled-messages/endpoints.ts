import * as api from "@skein/api/scheduled-messages.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { removeScheduled, schedule, updateScheduled } from "./actions.ts";
import { listScheduled } from "./queries.ts";

export const scheduledMessageEndpoints: BoundEndpoint[] = [
  handle(api.getScheduledMessages, async ({ ctx, user }) => ({
    scheduled_messages: await listScheduled(ctx.db, user),
  })),

  handle(api.createScheduledMessage, async ({ ctx, user, params, request }) => {
    const id = await transaction(ctx.db, "schedule message", (tx) => schedule(tx, ctx, user, params, request));
    return { scheduled_message_id: id };
  }),

  handle(api.updateScheduledMessage, async ({ ctx, user, params, request }) => {
    await transaction(ctx.db, "update scheduled message", (tx) => updateScheduled(tx, ctx, user, params, request));
    return {};
  }),

  handle(api.deleteScheduledMessage, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "remove scheduled message", (tx) =>
      removeScheduled(tx, user, params.scheduled_message_id),
    );
    return {};
  }),
];
