/** Notifications about messages that a user has not seen, by mail and on devices. */
import { followMessages } from "./follow.ts";
import { deliverMissedMessages } from "./missed-messages/deliver.ts";
import { enqueueMissedMessages } from "./missed-messages/enqueue-due.ts";
import { unsubscribePages } from "./missed-messages/pages.ts";
import { cleanUpPushes } from "./push-devices/clean-up.ts";
import { sealStoredDeviceAddresses } from "./push-devices/devices.ts";
import { pushDeviceEndpoints } from "./push-devices/endpoints.ts";
import { enqueueDevicePushes } from "./push-devices/enqueue-due.ts";
import { pushToDevice } from "./push-devices/push.ts";
import type { Area } from "../../area.ts";

export const notifications: Area = {
  endpoints: [...pushDeviceEndpoints],
  pages: (ctx) => [...unsubscribePages(ctx)],
  jobs: [deliverMissedMessages, pushToDevice, cleanUpPushes],
  chores: [followMessages, enqueueMissedMessages, enqueueDevicePushes, sealStoredDeviceAddresses],
};
