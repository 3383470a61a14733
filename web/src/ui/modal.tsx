/**
 * A box above the page, open while rendered: dialogs, palette, search, image viewer. The browser keeps focus inside and makes
 * the page behind it inert. Escape requests closing, and so does a click beside it unless `keepsOnOutsidePress` is set. On
 * closing, focus returns to the element that had it before.
 */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "./classes.ts";
import styles from "./modal.module.css";

/** The accessible name, or the id of a heading that contains it. */
type Name = { label: string } | { labelledBy: string };

type ModalProps = Name & {
  onClose: () => void;
  children: ComponentChildren;
  /** For forms: a click beside the modal must not lose what was typed. */
  keepsOnOutsidePress?: boolean | undefined;
  onKeyDown?: (event: KeyboardEvent) => void;
  class?: string | undefined;
};

export function Modal({ onClose, children, keepsOnOutsidePress, onKeyDown, class: className, ...name }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={classes(styles.modal, className)}
      {...("label" in name ? { "aria-label": name.label } : { "aria-labelledby": name.labelledBy })}
      closedby={keepsOnOutsidePress ? "closerequest" : "any"}
      onKeyDown={onKeyDown}
      onCancel={(event) => {
        // The event also bubbles up from a canceled file field.
        if (event.target !== event.currentTarget) return;
        // Rendering decides whether it is open.
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
