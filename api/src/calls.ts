/** Calls through services that want to be asked for an address first. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

const area = "Channels";
const url = z.string().describe("Where the call takes place.");

export const createBigBlueButtonCall = endpoint({
  operation: "create-big-blue-button-video-call",
  method: "GET",
  path: "/calls/bigbluebutton/create",
  auth: "user",
  area,
  summary: "Create a BigBlueButton call",
  description: "Make an address for a call on a BigBlueButton server. Refused where none is set up.",
  params: {
    meeting_name: z.string().describe("What the meeting is called."),
    voice_only: json(z.boolean()).default(false).describe("Whether cameras stay off."),
  },
  returns: { url },
});

export const createZoomCall = endpoint({
  operation: "create-zoom-call",
  method: "POST",
  path: "/calls/zoom/create",
  auth: "user",
  area,
  summary: "Create a Zoom call",
  description: "Make an address for a call through the caller's Zoom account. Refused where Zoom is not set up.",
  params: { is_video_call: json(z.boolean()).default(true).describe("Whether it is to have pictures.") },
  returns: { url },
});
