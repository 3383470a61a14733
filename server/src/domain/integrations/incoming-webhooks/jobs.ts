import { z } from "zod";
import { job } from "../../../jobs/job.ts";
import { forgetOld } from "./once.ts";

/** Services redeliver within minutes, people within hours. */
export const forgetDeliveries = job({
  name: "forget incoming deliveries",
  payload: z.object({}),
  schedule: "41 * * * *",
  queue: () => "incoming-deliveries",
  run: (ctx) => forgetOld(ctx.db),
});
