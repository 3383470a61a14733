/** Summaries need a language model, and this server has none: `server_can_summarize_topics` is false. */
import { getMessagesSummary } from "@skein/api/summaries.ts";
import { ApiError } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";

export const summaryEndpoints: BoundEndpoint[] = [
  handle(getMessagesSummary, async () => {
    throw new ApiError("AI features are not enabled on this server.");
  }),
];
