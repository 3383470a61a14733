/**
 * Calls through services that need credentials. This server is connected to none of them and returns the errors clients
 * know; Jitsi calls do not involve the server.
 */
import {
  createBigBlueButtonCall,
  createConstructorGroupsCall,
  createNextcloudTalkCall,
  createZoomCall,
} from "@skein/api/calls.ts";
import { ApiError } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";

export const callEndpoints: BoundEndpoint[] = [
  handle(createBigBlueButtonCall, async () => {
    throw new ApiError("BigBlueButton is not configured.");
  }),
  handle(createZoomCall, async () => {
    throw new ApiError("Zoom credentials have not been configured");
  }),
  handle(createConstructorGroupsCall, async () => {
    throw new ApiError("Constructor Groups is not configured.");
  }),
  handle(createNextcloudTalkCall, async () => {
    throw new ApiError("Nextcloud Talk is not configured.");
  }),
];
