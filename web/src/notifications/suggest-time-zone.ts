/** Offers to update the reader's time zone after a journey, once for each zone that the device is in. */
import "../text/chunks/notifications.ts";
import { part } from "../store/state.ts";
import { readStored, store } from "../store/storage.ts";
import { reasonOf } from "../store/reasons.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";

const offeredKey = "skein.time-zone-offered";

export function suggestTimeZone(): void {
  const { timezone = "", web_suggest_update_timezone } = part("user_settings").peek() ?? {};
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (web_suggest_update_timezone !== true || timezone === "" || isSameZone(timezone, here)) return;
  if (readStored("local", offeredKey) === here) return;
  store("local", offeredKey, here);
  toast(t("notification.timeZone", { zone: here.replaceAll("_", " ") }), {
    action: {
      label: t("notification.updateTimeZone"),
      run: () =>
        // Few need it: the first visit is kept small.
        void import("../store/setting-stores.ts")
          .then(({ personalSettings }) => personalSettings.save("timezone", here))
          .catch((error: unknown) => toast(reasonOf(error), { kind: "danger" })),
    },
  });
}

/** A zone may have several names; the same zone has the same time, now and half a year from now. */
function isSameZone(one: string, other: string): boolean {
  const times = (timeZone: string): string => {
    const format = new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" });
    return [0, 182].map((days) => format.format(Date.now() + days * 86_400_000)).join();
  };
  try {
    return times(one) === times(other);
  } catch {
    // The browser does not know one of them: nothing to compare.
    return true;
  }
}
