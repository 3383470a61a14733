/** What clients are told when another release of the server takes over. */
import { z } from "zod";

export const restartEvent = z
  .strictObject({
    type: z.literal("restart"),
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
    server_generation: z.int().describe("Another number than before, as registration tells it."),
  })
  .describe("Another release serves this organization. Queues go on; a client may want to look at the protocol level.");

export const webReloadEvent = z
  .strictObject({
    type: z.literal("web_reload_client"),
    immediate: z.boolean().describe("Whether to do so at once, or at a moment chosen at random within minutes."),
  })
  .describe(
    "A client whose code comes from this server should load itself anew. Sent to web and desktop clients only.",
  );

export const releaseEvents = [restartEvent, webReloadEvent] as const;
