/** The job's declaration without its implementation: sending a message stores the job, and running it sends messages. */
import { z } from "zod";
import type { JobName } from "../../../jobs/job.ts";

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
  // One queue per bot, so that a slow service delays only its own bot.
  queue: ({ bot_id }) => `webhook-${bot_id}`,
};
