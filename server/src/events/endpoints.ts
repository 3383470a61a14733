import { deleteQueue, getEvents, getEventSocket, getEventStream, register } from "@skein/api/registration.ts";
import { featureLevel, mergeBase, serverVersion } from "@skein/api/server-settings.ts";
import type { Context } from "../context.ts";
import { ApiError, badEventQueueId } from "../errors.ts";
import { handle, JoinedText, JsonText, LastingResponse, type BoundEndpoint, type UserRequest } from "../http/handle.ts";
import { openEventSocket } from "../http/event-socket.ts";
import { sendEventStream } from "../http/server-sent-events.ts";
import type { User } from "../identity/account.ts";
import { withinScopes } from "../identity/scopes.ts";
import { comma, SharedText, type TextPiece } from "../platform/shared-text.ts";
import { removeQueue } from "./queue-store.ts";
import { registerQueue } from "./register.ts";
import { revoke } from "./revoke.ts";
import { membersOf, type StatePart } from "./state-part.ts";

/** `parts`: the areas' parts of the register response. */
export function eventEndpoints(parts: StatePart[]): BoundEndpoint[] {
  return [
    handle(
      register,
      async ({ ctx, user, params, request }) => {
        const { queueId, firstEventId, idleSeconds, state } = await registerQueue(
          ctx,
          parts,
          user,
          request,
          withinScopes(user, params),
        );
        const fields = state.filter((pieces) => pieces.length > 0).toSorted((a, b) => sharingOf(a) - sharingOf(b));
        const head = membersOf({
          result: "success",
          msg: "",
          queue_id: queueId,
          last_event_id: firstEventId,
          idle_queue_timeout_secs: idleSeconds,
          zulip_feature_level: featureLevel,
          zulip_version: serverVersion,
          zulip_merge_base: mergeBase,
          ...(request.unsupported.length > 0 ? { ignored_parameters_unsupported: request.unsupported } : {}),
        });
        return new JoinedText([
          `{${head}`,
          ...fields.flatMap((pieces) => [separatorBefore(pieces), ...pieces]),
          closing,
        ]);
      },
      "inside",
    ),

    handle(
      getEvents,
      async ({ ctx, user, params, request }) => {
        const queueId =
          params.queue_id ??
          (await registerQueue(ctx, [], user, request, { ...withinScopes(user, params), fetch_event_types: [] }))
            .queueId;
        const events = await ctx.events.poll({
          user,
          queueId,
          lastEventId: params.last_event_id,
          // A new queue has no events yet, and the client needs its id.
          dontBlock: params.dont_block || params.queue_id === undefined,
          onClose: request.onClose,
        });
        ctx.metrics.deliveredEvents.inc(events.length);
        const texts = events.map(({ text }) => text);
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

    handle(
      getEventStream,
      async ({ ctx, user, params, request }) => {
        const position = { ...params, last_event_id: resumedAt(request.lastEventId) ?? params.last_event_id };
        const stream = await beginStream(ctx, user, request, position);
        const { onClose } = request;
        return new LastingResponse((response, headers) =>
          sendEventStream(ctx, response, headers, { ...stream, onClose, path: getEventStream.path }),
        );
      },
      "log",
    ),

    handle(
      getEventSocket,
      async ({ ctx, user, params, request }) => {
        const { credentials, isOwnPage, isUpgrade } = request;
        // A browser sends its cookie to WebSockets that other sites' pages open, and there is no CSRF token.
        const isBrowser = !("keyHash" in credentials);
        if (isOwnPage === false || (isBrowser && isOwnPage === undefined)) throw foreignPage();
        if (!isUpgrade) throw notUpgraded();
        const stream = await beginStream(ctx, user, request, params);
        return new LastingResponse((response, headers) =>
          openEventSocket(ctx, response, headers, { ...stream, path: getEventSocket.path }),
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

const closing = new SharedText("}");

/** What is shared comes last, so that the rest is compressed in one piece. */
function sharingOf(pieces: readonly TextPiece[]): number {
  const begun = pieces.findIndex((piece) => piece instanceof SharedText);
  return begun < 0 ? 0 : begun === 0 ? 2 : 1;
}

const separatorBefore = ([first]: readonly TextPiece[]): TextPiece => (first instanceof SharedText ? comma : ",");

/** The first events, and what both kinds of streams need for the others. Fails as a request for events would. */
async function beginStream(
  ctx: Context,
  user: User,
  { onClose, authenticate, id: requestId }: UserRequest,
  { queue_id: queueId, last_event_id: lastEventId }: { queue_id: string; last_event_id?: number | undefined },
) {
  const first = await ctx.events.poll({ user, queueId, lastEventId, dontBlock: true, onClose });
  return { user, queueId, after: lastEventId ?? -1, authenticate, requestId, first };
}

/** The position in the header with which a client resumes a stream. */
function resumedAt(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (!/^-?\d{1,15}$/.test(header)) throw new ApiError("Last-Event-ID is not an integer");
  return Number(header);
}

const foreignPage = (): ApiError => new ApiError("WebSockets open only for pages of this server", { status: 403 });

const notUpgraded = (): ApiError =>
  new ApiError("This is a WebSocket: send the request with the header Upgrade: websocket", {
    status: 426,
    headers: { Upgrade: "websocket" },
  });
