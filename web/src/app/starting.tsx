/** The shell before there is anything to show in it: of the right shape, so that nothing jumps. */
import { connection } from "../store/sync.ts";
import { t } from "../text/t.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { SignInDialog } from "../sign-in/sign-in-dialog.tsx";
import styles from "./starting.module.css";

export const Starting = () => (
  <div class={styles["frame"]}>
    <div class={styles["sidebar"]}>
      <Skeleton rows={10} height={28} />
    </div>
    <main class={styles["main"]}>
      {(connection.value === "reconnecting" || connection.value === "offline") && (
        <p class={styles["note"]}>{t("connection.starting")}</p>
      )}
    </main>
    <SignInDialog />
  </div>
);
