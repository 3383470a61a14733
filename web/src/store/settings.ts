/** The reader's settings that can be changed in place, next to what they affect. */
import { updateSettings } from "@skein/api/routes/settings.ts";
import { call } from "../api/call.ts";
import { perform } from "./operations.ts";

export function setEnterSends(value: boolean): void {
  perform({
    key: "setting enter_sends",
    event: { type: "user_settings", op: "update", property: "enter_sends", value },
    request: () => call(updateSettings, { enter_sends: value }),
  });
}
