/** What is stored to be done for a device, apart from how it is done. */
import { z } from "zod";
import type { JobName } from "../../jobs/job.ts";

const payload = z.object({ device_id: z.int() });
export type DevicePush = z.output<typeof payload>;

export const devicePush: JobName<DevicePush> = {
  name: "push-to-device",
  payload,
  // The last comes about an hour after the first; what could not be shown by then is no news.
  maxAttempts: 8,
  // One after another, so that a device is never told to remove what it is about to be shown.
  queue: ({ device_id }) => `push-${device_id}`,
};
