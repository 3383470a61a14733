import * as api from "@skein/api/user-topics.ts";
import { ApiError, missingParameter } from "../../../errors.ts";
import { handle, type BoundEndpoint } from "../../../http/handle.ts";
import { transaction } from "../../../platform/db/transaction.ts";
import { updateVisibility } from "./actions.ts";

export const userTopicEndpoints: BoundEndpoint[] = [
  handle(api.updateUserTopic, async ({ ctx, user, params }) => {
    await transaction(ctx.db, "choose a topic's visibility", (tx) =>
      updateVisibility(tx, user, { id: params.stream_id }, params.topic, params.visibility_policy),
    );
    return {};
  }),

  handle(api.muteTopic, async ({ ctx, user, params }) => {
    const channel = oneChannel(params);
    const { muted, none } = api.visibilityPolicies;
    await transaction(ctx.db, "mute a topic", (tx) =>
      updateVisibility(tx, user, channel, params.topic, params.op === "add" ? muted : none),
    );
    return {};
  }),
];

function oneChannel({ stream_id: id, stream: name }: { stream_id?: number | undefined; stream?: string | undefined }) {
  if (id !== undefined && name !== undefined) {
    const parameters = "stream_id, stream";
    throw new ApiError(`Unsupported parameter combination: ${parameters}`, { data: { parameters } });
  }
  if (id !== undefined) return { id };
  if (name === undefined) throw missingParameter("stream_id");
  return { name };
}
