/** What went wrong in a list or pane, and a way to try again. The rest of the page is alive. */
import { reasonOf } from "../store/optimistic.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./failure.module.css";

interface FailureProps {
  error: unknown;
  onRetry: () => void;
}

export const Failure = ({ error, onRetry }: FailureProps) => (
  <div class={styles["failure"]} role="alert">
    <Icon name="circle-alert" class={styles["icon"]} />
    <span>{reasonOf(error)}</span>
    <Button onClick={onRetry}>{t("ui.retry")}</Button>
  </div>
);
