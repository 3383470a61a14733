/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../calls.ts";
import type { Route } from "../route.ts";

export const createBigBlueButtonCall: Route<typeof declared.createBigBlueButtonCall> = {
  method: "GET",
  path: "/calls/bigbluebutton/create",
  texts: ["meeting_name"],
};
export const createConstructorGroupsCall: Route<typeof declared.createConstructorGroupsCall> = {
  method: "POST",
  path: "/calls/constructorgroups/create",
  texts: [],
};
export const createNextcloudTalkCall: Route<typeof declared.createNextcloudTalkCall> = {
  method: "POST",
  path: "/calls/nextcloud_talk/create",
  texts: ["room_name"],
};
export const createZoomCall: Route<typeof declared.createZoomCall> = {
  method: "POST",
  path: "/calls/zoom/create",
  texts: [],
};
