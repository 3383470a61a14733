/** Whether the browser lets this page notify, and a test of all the ways at once. */
import "../text/chunks/settings.ts";
import { testMobileNotification } from "@skein/api/routes/push-devices.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { elementId } from "../descriptors/setting.ts";
import { reasonOf } from "../store/reasons.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { playSound } from "../ui/sound.ts";
import styles from "./settings.module.css";

const permission = (): NotificationPermission | "unsupported" =>
  "Notification" in globalThis ? Notification.permission : "unsupported";

export function BrowserPermission() {
  const [known, setKnown] = useState(permission);
  if (known === "granted") return null;
  return (
    <div class={styles.notice} role="status">
      <p>
        {known === "default"
          ? t("settings.browserAsks")
          : t(known === "denied" ? "settings.browserDenied" : "settings.test.unsupported")}
      </p>
      {known === "default" && (
        <Button kind="primary" icon="bell" onClick={() => void Notification.requestPermission().then(setKnown)}>
          {t("settings.browserAllow")}
        </Button>
      )}
    </div>
  );
}

export function TestNotification() {
  const [results, setResults] = useState<readonly string[]>([]);
  const [isBusy, setBusy] = useState(false);
  const run = async (): Promise<void> => {
    setBusy(true);
    setResults([]);
    const sound = testSound();
    const [desktop, mobile] = await Promise.all([testDesktop(), testMobile()]);
    setResults([desktop, sound, ...(mobile === undefined ? [] : [mobile])]);
    setBusy(false);
  };
  return (
    <div id={elementId("test-notification")}>
      <Button icon="bell" busy={isBusy} onClick={() => void run()}>
        {t("settings.test")}
      </Button>
      <p class={styles.hint}>{t("settings.test.hint")}</p>
      <ul class={styles.results} role="status" aria-label={t("settings.test")}>
        {results.map((result) => (
          <li key={result}>{result}</li>
        ))}
      </ul>
    </div>
  );
}

async function testDesktop(): Promise<string> {
  if (permission() === "default") await Notification.requestPermission();
  if (permission() === "unsupported") return t("settings.test.unsupported");
  if (permission() !== "granted") return t("settings.test.denied");
  const shown = new Notification(t("settings.test.title"), { body: t("settings.test.body"), tag: "test" });
  shown.addEventListener("click", () => shown.close());
  return t("settings.test.shown");
}

function testSound(): string {
  const sound = part("user_settings").peek()?.notification_sound ?? "none";
  if (sound === "none") return t("settings.test.soundOff");
  void playSound(sound);
  return t("settings.test.soundPlayed");
}

async function testMobile(): Promise<string | undefined> {
  if (part("realm_push_notifications_enabled").peek() !== true) return undefined;
  try {
    await call(testMobileNotification, {});
    return t("settings.test.mobileSent");
  } catch (error) {
    return t("settings.test.mobileFailed", { reason: reasonOf(error) });
  }
}
