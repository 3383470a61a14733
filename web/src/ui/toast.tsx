/** Short notices at the edge of the page, with a way back where there is one. They are also said aloud. */
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../text/t.ts";
import { Button, IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { Icon } from "./icon.tsx";
import { announce } from "./live-region.tsx";
import styles from "./toast.module.css";
import { showOnTop } from "./top-layer.ts";

interface ToastOptions {
  kind?: "plain" | "danger";
  undo?: () => void;
  /** Something else to do about it. */
  action?: { label: string; run: () => void };
}

interface Toast extends ToastOptions {
  id: number;
  text: string;
}

const shown = signal<readonly Toast[]>([]);
let lastId = 0;
const most = 3;

const usualTime = 6000;
/** Whoever has to decide gets longer. */
const timeToDecide = 12_000;

/** Gives back what takes it away again. */
export function toast(text: string, options: ToastOptions = {}): () => void {
  const id = ++lastId;
  shown.value = [...shown.value.slice(1 - most), { ...options, id, text }];
  announce(text);
  return () => dismiss(id);
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((each) => each.id !== id);
}

function Notice({ id, text, kind = "plain", undo, action }: Toast) {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hold = () => clearTimeout(timer.current);
  const start = () => {
    hold();
    timer.current = setTimeout(() => dismiss(id), undo || action ? timeToDecide : usualTime);
  };
  useEffect(() => {
    start();
    return hold;
  }, []);
  const act = (run: () => void) => () => {
    dismiss(id);
    run();
  };
  return (
    <li
      class={classes(styles["toast"], styles[kind])}
      onPointerEnter={hold}
      onPointerLeave={start}
      onFocusIn={hold}
      onFocusOut={start}
    >
      {kind === "danger" && <Icon name="circle-alert" class={styles["icon"]} />}
      <span class={styles["text"]}>{text}</span>
      {action && (
        <Button kind="quiet" class={styles["action"]} onClick={act(action.run)}>
          {action.label}
        </Button>
      )}
      {undo && (
        <Button kind="quiet" icon="undo-2" class={styles["action"]} onClick={act(undo)}>
          {t("ui.undo")}
        </Button>
      )}
      <IconButton icon="x" size={16} label={t("ui.dismiss")} class={styles["dismiss"]} onClick={() => dismiss(id)} />
    </li>
  );
}

export function Toasts() {
  const toasts = shown.value;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    // Shown anew, it comes above a dialog opened meanwhile.
    if ("hidePopover" in element && element.matches(":popover-open")) element.hidePopover();
    showOnTop(element);
  }, [toasts]);
  if (toasts.length === 0) return null;
  return (
    <section ref={box} class={styles["toasts"]} popover="manual" aria-label={t("ui.notices")}>
      <ol class={styles["list"]}>
        {toasts.map((each) => (
          <Notice key={each.id} {...each} />
        ))}
      </ol>
    </section>
  );
}
