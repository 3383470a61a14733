import { newVapidKey, vapidPublicKey } from "../platform/vapid.ts";
import { command } from "./command.ts";

export const vapidKeys = command({
  options: {},
  run: async ({ answer }) => {
    const key = newVapidKey();
    answer(
      { private_key: key, public_key: vapidPublicKey(key) },
      `Set this for all processes, and keep it: if the key changes, every browser has to subscribe again.\n\nSKEIN_VAPID_KEY=${key}`,
    );
  },
});
