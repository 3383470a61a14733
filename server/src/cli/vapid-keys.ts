import { newVapidKey, vapidPublicKey } from "../platform/vapid.ts";
import { command } from "./command.ts";

export const vapidKeys = command({
  options: {},
  run: async ({ answer }) => {
    const key = newVapidKey();
    answer(
      { private_key: key, public_key: vapidPublicKey(key) },
      `Give this to all processes, and keep it: with another key every browser has to subscribe anew.\n\nSKEIN_VAPID_KEY=${key}`,
    );
  },
});
