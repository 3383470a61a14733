/** The reader's settings that can be changed in place, next to what they affect. */
import { updateSettings } from "@skein/api/routes.ts";
import { call } from "../api/call.ts";
import { change } from "./optimistic.ts";

export function setEnterSends(value: boolean): void {
  const to = (enter_sends: boolean) =>
    ({ type: "user_settings", op: "update", property: "enter_sends", value: enter_sends }) as const;
  change({ event: to(value), undo: to(!value), request: () => call(updateSettings, { enter_sends: value }) });
}
