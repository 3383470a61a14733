/** An error in a list or pane, with a retry button. The rest of the page keeps working. */
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";
import styles from "./failure.module.css";

interface FailureProps {
  error: unknown;
  onRetry: () => void;
}

export const Failure = ({ error, onRetry }: FailureProps) => (
  <div class={styles.failure} role="alert">
    <Icon name="circle-alert" class={styles.icon} />
    <span>{reasonOf(error)}</span>
    <Button onClick={onRetry}>{t("ui.retry")}</Button>
  </div>
);
