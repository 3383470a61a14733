/** The browsers in which the reader is signed in. */
import "../text/chunks/access.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { SessionList } from "../controls/session-list.tsx";
import { elementId } from "../descriptors/setting.ts";
import { useReloaded } from "../parts/use-reloaded.ts";
import { endOtherSessions, reader } from "../store/access.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./settings.module.css";

export default function Sessions() {
  const sessions = useReloaded(reader.sessions, undefined);
  const [isAsking, setAsking] = useState(false);
  const hasOthers = sessions.value?.some(({ is_current }) => !is_current) ?? false;
  return (
    <section class={styles.group} id={elementId("sessions")}>
      <p class={styles.note}>{t("access.sessions.about")}</p>
      <SessionList holder={reader} sessions={sessions} />
      <Button
        icon="log-out"
        aria-disabled={!hasOthers}
        onClick={() => {
          if (hasOthers) setAsking(true);
        }}
      >
        {t("settings.signOutOthers")}
      </Button>
      {isAsking && (
        <DangerDialog
          title={t("access.signOutOthersQuestion")}
          action={t("access.signOut")}
          run={async () => {
            await endOtherSessions();
            await sessions.reload();
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t("access.signOutOthersText")}</p>
        </DangerDialog>
      )}
    </section>
  );
}
