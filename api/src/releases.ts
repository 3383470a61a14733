/** The events that clients receive when another release of the server takes over. */
import { z } from "zod";

export const restartEvent = z
  .strictObject({
    type: z.literal("restart"),
    zulip_version: z.string(),
    zulip_merge_base: z.string(),
    zulip_feature_level: z.int(),
    server_generation: z.int().describe("A new number, as in the registration response."),
  })
  .describe(
    "Another release now serves this organization. Queues stay valid; clients may want to check the protocol level.",
  );

export const webReloadEvent = z
  .strictObject({
    type: z.literal("web_reload_client"),
    immediate: z.boolean().describe("Whether to do so at once, or at a moment chosen at random within minutes."),
  })
  .describe("Clients whose code comes from this server should reload. Sent to web and desktop clients only.");

export const releaseEvents = [restartEvent, webReloadEvent] as const;
