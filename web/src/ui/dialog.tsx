/** A modal with a title, a body and buttons. */
import "../text/chunks/fields.ts";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Modal } from "./modal.tsx";
import styles from "./dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the end, the primary one last. */
  actions?: ComponentChildren;
  width?: "narrow" | "usual" | "wide";
  /** For forms: a click beside the dialog must not lose what was typed. */
  keepsOnOutsidePress?: boolean;
  /** Makes the body a form: Enter in a field submits it. */
  onSubmit?: () => void;
}

export function Dialog({
  title,
  onClose,
  children,
  actions,
  width = "usual",
  keepsOnOutsidePress,
  onSubmit,
}: DialogProps) {
  const heading = useId();
  const content = (
    <>
      <div class={styles.body}>{children}</div>
      {actions && <footer class={styles.actions}>{actions}</footer>}
    </>
  );
  return (
    <Modal
      labelledBy={heading}
      class={classes(styles.dialog, styles[width])}
      keepsOnOutsidePress={keepsOnOutsidePress}
      onClose={onClose}
    >
      <header class={styles.header}>
        {/* With nothing to fill in, focus starts at the title. */}
        <h2 id={heading} tabIndex={-1} autofocus={onSubmit === undefined}>
          {title}
        </h2>
        <IconButton icon="x" label={t("ui.close")} onClick={onClose} />
      </header>
      {onSubmit ? (
        <form
          class={styles.form}
          onSubmit={(event) => {
            event.preventDefault();
            // A dialog over a dialog is inside its form.
            event.stopPropagation();
            onSubmit();
          }}
        >
          {content}
        </form>
      ) : (
        content
      )}
    </Modal>
  );
}
