/** Video calls through services where the server has to create the call's URL first. */
import { z } from "zod";
import { endpoint, json } from "./endpoint.ts";

const area = "Channels";
const url = z.string().describe("The URL of the call.");

export const createBigBlueButtonCall = endpoint({
  operation: "create-big-blue-button-video-call",
  method: "GET",
  path: "/calls/bigbluebutton/create",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create a BigBlueButton call",
  description: "Create a call on a BigBlueButton server. Fails if none is configured.",
  params: {
    meeting_name: z.string().describe("The meeting's name."),
    voice_only: json(z.boolean()).default(false).describe("Whether cameras stay off."),
  },
  returns: { url },
});

export const createZoomCall = endpoint({
  operation: "create-zoom-call",
  method: "POST",
  path: "/calls/zoom/create",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create a Zoom call",
  description: "Create a call with the caller's Zoom account. Fails if Zoom is not configured.",
  params: {
    is_video_call: json(z.boolean()).default(true).describe("Whether it is a video call rather than an audio call."),
  },
  returns: { url },
});

export const createConstructorGroupsCall = endpoint({
  operation: "create-constructor-groups-call",
  method: "POST",
  path: "/calls/constructorgroups/create",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create a Constructor Groups call",
  description: "Create a call with Constructor Groups. Fails if it is not configured.",
  params: {},
  returns: { url },
});

export const createNextcloudTalkCall = endpoint({
  operation: "create-nextcloud-talk-call",
  method: "POST",
  path: "/calls/nextcloud_talk/create",
  auth: "user",
  scope: "messages:write",
  area,
  summary: "Create a Nextcloud Talk call",
  description: "Create a call on a Nextcloud server. Fails if none is configured.",
  params: { room_name: z.string().describe("The room's name.") },
  returns: { url },
});

export const endpoints = [
  createBigBlueButtonCall,
  createZoomCall,
  createConstructorGroupsCall,
  createNextcloudTalkCall,
];
