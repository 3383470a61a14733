/** A box that floats beside its anchor. Open while rendered; a click elsewhere or Escape requests closing. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { classes } from "./classes.ts";
import styles from "./popover.module.css";
import { hideFromTop, showOnTop } from "./top-layer.ts";

export interface Anchor {
  current: HTMLElement | null;
}

interface PopoverProps {
  anchor: Anchor;
  onClose: () => void;
  label: string;
  children: ComponentChildren;
  role?: "dialog" | "menu" | "group";
  id?: string;
  /** Placed where there is room: below the anchor, aligned to its start or end, or above it. */
  place?: "belowStart" | "belowEnd" | "aboveStart" | "aboveEnd";
  class?: string | undefined;
}

export function Popover({
  anchor,
  onClose,
  label,
  children,
  role = "dialog",
  id,
  place = "belowStart",
  class: className,
}: PopoverProps) {
  const box = useRef<HTMLDivElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useLayoutEffect(() => {
    const element = box.current;
    const opener = anchor.current;
    if (element === null) return;
    showOnTop(element, opener);
    if (!element.contains(document.activeElement)) {
      (element.querySelector<HTMLElement>("[autofocus], [data-autofocus]") ?? element).focus({ preventScroll: true });
    }
    return () => {
      // Before it closes: otherwise the focus inside would be lost.
      const hadFocus = element.contains(document.activeElement) || document.activeElement === document.body;
      hideFromTop(element);
      if (hadFocus && opener?.isConnected) opener.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div
      ref={box}
      id={id}
      role={role}
      aria-label={label}
      tabIndex={-1}
      popover="auto"
      class={classes(styles.popover, styles[place], className)}
      onToggle={(event) => {
        if (event.target === event.currentTarget && event.newState === "closed") close.current();
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        event.preventDefault();
        event.stopPropagation();
        close.current();
      }}
    >
      {children}
    </div>
  );
}
