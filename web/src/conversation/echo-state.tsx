/** The state of a message being sent, and the actions for one that was refused. */
import { useEffect, useState } from "preact/hooks";
import { discard, retry } from "../store/sending.ts";
import type { Outgoing } from "../store/outbox.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { announce } from "../store/announcements.ts";
import styles from "./echo-state.module.css";
import { editAgain } from "./take-back.ts";

/** Most messages arrive before anyone would wonder. */
const slowAfter = 2000;

export function EchoState({ echo }: { echo: Outgoing }) {
  const isSlow = useIsSlow(echo);
  const hasFailed = echo.state === "failed";
  const reason = echo.reason ?? t("echo.noAnswer");
  useEffect(() => {
    if (hasFailed) announce(t("echo.failed", { reason }));
  }, [hasFailed, reason]);
  if (!hasFailed)
    return (
      isSlow && (
        <div class={styles.waiting}>
          <Icon name="clock" size={14} /> {t("echo.waiting")}
        </div>
      )
    );
  return (
    <div class={styles.failed}>
      <Icon name="circle-alert" />
      <span class={styles.reason}>{reason}</span>
      <Button kind="quiet" onClick={() => retry(echo.localId)}>
        {t("ui.retry")}
      </Button>
      <Button kind="quiet" onClick={() => editAgain(echo)}>
        {t("echo.edit")}
      </Button>
      <Button kind="quiet" onClick={() => discard(echo.localId)}>
        {t("echo.discard")}
      </Button>
    </div>
  );
}

function useIsSlow({ localId, writtenAt }: Outgoing): boolean {
  const [isSlow, setSlow] = useState(Date.now() - writtenAt * 1000 > slowAfter);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), slowAfter);
    return () => clearTimeout(timer);
  }, [localId]);
  return isSlow;
}
