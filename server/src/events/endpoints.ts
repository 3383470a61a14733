import { deleteQueue, getEvents, register } from "@skein/api/registration.ts";
import { featureLevel, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import { badEventQueueId } from "../errors.ts";
import { handle, JsonText, type BoundEndpoint } from "../http/handle.ts";
import { removeQueue } from "./queue-store.ts";
import { registerQueue } from "./register.ts";
import { revoke } from "./revoke.ts";
import type { StatePart } from "./state-part.ts";

/** `parts`: the areas' parts of the register response. */
export function eventEndpoints(parts: StatePart[]): BoundEndpoint[] {
  return [
    handle(
      register,
      async ({ ctx, user, params, request }) => {
        const { queueId, firstEventId, state } = await registerQueue(ctx, parts, user, request, params);
        return {
          ...state,
          queue_id: queueId,
          last_event_id: firstEventId,
          zulip_feature_level: featureLevel,
          zulip_version: serverVersion,
          zulip_merge_base: mergeBase,
        };
      },
      "inside",
    ),

    handle(
      getEvents,
      async ({ ctx, user, params, request }) => {
        const queueId =
          params.queue_id ??
          (await registerQueue(ctx, [], user, request, { ...params, fetch_event_types: [] })).queueId;
        const texts = await ctx.events.poll({
          user,
          queueId,
          lastEventId: params.last_event_id,
          // A new queue has no events yet, and the client needs its id.
          dontBlock: params.dont_block || params.queue_id === undefined,
          onClose: request.onClose,
        });
        ctx.metrics.deliveredEvents.inc(texts.length);
        const ignored =
          request.unsupported.length > 0
            ? `,"ignored_parameters_unsupported":${JSON.stringify(request.unsupported)}`
            : "";
        return new JsonText(
          `{"result":"success","msg":"","events":[${texts.join(",")}],"queue_id":"${queueId}"${ignored}}`,
        );
      },
      "log",
    ),

    handle(deleteQueue, async ({ ctx, user, params }) => {
      const isThere = /^[0-9a-f-]{36}$/.test(params.queue_id);
      const removed =
        isThere &&
        (await revoke(ctx, "delete queue", (tx) => removeQueue(tx, user.realm_id, user.id, params.queue_id)));
      if (!removed) throw badEventQueueId(params.queue_id);
      return {};
    }),
  ];
}
