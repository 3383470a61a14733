/** A window over the page. It is open while it is rendered; the browser keeps focus inside and gives it back after. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../text/t.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import styles from "./dialog.module.css";

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  /** Buttons at the end, the one most wanted last. */
  actions?: ComponentChildren;
  width?: "narrow" | "usual" | "wide";
  /** Where something was typed, a press beside the dialog must not lose it. */
  keepsOnOutsidePress?: boolean;
  /** Turns the body into a form: Enter in a field submits. */
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
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);

  const content = (
    <>
      <div class={styles["body"]}>{children}</div>
      {actions && <footer class={styles["actions"]}>{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={dialog}
      class={classes(styles["dialog"], styles[width])}
      aria-labelledby={heading}
      closedby={keepsOnOutsidePress ? "closerequest" : "any"}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        // Rendering decides whether it is open.
        event.preventDefault();
        onClose();
      }}
    >
      <header class={styles["header"]}>
        {/* Where there is nothing to fill in, reading begins at the title. */}
        <h2 id={heading} tabIndex={-1} autofocus={onSubmit === undefined}>
          {title}
        </h2>
        <IconButton icon="x" label={t("ui.close")} onClick={onClose} />
      </header>
      {onSubmit ? (
        <form
          class={styles["form"]}
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {content}
        </form>
      ) : (
        content
      )}
    </dialog>
  );
}
