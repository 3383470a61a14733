/**
 * Calls through services that have to be asked first. This server is connected to none of them, and says so in the words
 * clients know; calls on Jitsi need nothing of it.
 */
import { createBigBlueButtonCall, createZoomCall } from "@skein/api/calls.ts";
import { ApiError } from "../../errors.ts";
import { handle, type BoundEndpoint } from "../../http/handle.ts";

export const callEndpoints: BoundEndpoint[] = [
  handle(createBigBlueButtonCall, async () => {
    throw new ApiError("BigBlueButton is not configured.");
  }),
  handle(createZoomCall, async () => {
    throw new ApiError("Zoom credentials have not been configured");
  }),
];
