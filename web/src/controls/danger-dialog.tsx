/** Asks before an action that cannot be undone or affects many: what will happen, to whom, and the name typed out. */
import "../text/chunks/fields.ts";
import "../text/chunks/controls.ts";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { FieldError } from "../ui/field.tsx";
import styles from "./danger-dialog.module.css";

interface DangerDialogProps {
  title: string;
  /** What will happen, and to whom. */
  children: ComponentChildren;
  /** On the button: a verb. */
  action: string;
  /** Has to be typed; without it the button suffices. */
  name?: string;
  run: () => Promise<unknown>;
  onClose: () => void;
}

export function DangerDialog({ title, children, action, name, run, onClose }: DangerDialogProps) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const isConfirmed = name === undefined || typed.trim() === name.trim();
  const submit = async (): Promise<void> => {
    if (!isConfirmed || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await run();
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" type="submit" busy={isBusy} aria-disabled={!isConfirmed}>
            {action}
          </Button>
        </>
      }
    >
      <div class={styles.text}>{children}</div>
      {name === undefined ? (
        <FieldError id="danger-error" error={error} />
      ) : (
        <TextField
          label={t("danger.typeName", { name })}
          value={typed}
          error={error}
          autofocus
          autocomplete="off"
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      )}
    </Dialog>
  );
}
