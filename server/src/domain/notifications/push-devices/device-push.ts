/** The declaration of the job that sends notifications to a device. push.ts implements it. */
import { z } from "zod";
import type { JobName } from "../../../jobs/job.ts";

const payload = z.object({ device_id: z.int() });
export type DevicePush = z.output<typeof payload>;

export const devicePush: JobName<DevicePush> = {
  name: "push-to-device",
  payload,
  // The last attempt is about an hour after the first; by then the notification is outdated.
  maxAttempts: 8,
  // One after another, so that a removal never overtakes the notification it removes.
  queue: ({ device_id }) => `push-${device_id}`,
};
