/** What is stored to be done, apart from how it is done: sending a message stores it, and doing it sends messages. */
import { z } from "zod";
import type { JobName } from "../../jobs/job.ts";

const payload = z.object({
  message_id: z.int(),
  bot_id: z.int(),
  trigger: z.enum(["mention", "direct_message"]),
});
export type Delivery = z.output<typeof payload>;

export const webhookDelivery: JobName<Delivery> = {
  name: "deliver-webhook",
  payload,
  maxAttempts: 12,
  // A service that keeps its callers waiting holds up its own bot, and nobody else.
  queue: ({ bot_id }) => `webhook-${bot_id}`,
};
