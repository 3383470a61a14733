/** Renders the notices of store/toasts.ts. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { dismiss, toasts, type Toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "./button.tsx";
import { Icon } from "./icon.tsx";
import styles from "./toast.module.css";
import { showOnTop } from "./top-layer.ts";

const usualTime = 6000;
/** A notice with an action stays longer. */
const timeToDecide = 12_000;

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
    <li class={styles.toast} onPointerEnter={hold} onPointerLeave={start} onFocusIn={hold} onFocusOut={start}>
      {kind === "danger" && <Icon name="circle-alert" class={styles.icon} />}
      <span class={styles.text}>{text}</span>
      {action && (
        <Button kind="quiet" class={styles.action} onClick={act(action.run)}>
          {action.label}
        </Button>
      )}
      {undo && (
        <Button kind="quiet" icon="undo-2" class={styles.action} onClick={act(undo)}>
          {t("ui.undo")}
        </Button>
      )}
      <IconButton icon="x" size={16} label={t("ui.dismiss")} class={styles.dismiss} onClick={() => dismiss(id)} />
    </li>
  );
}

export function Toasts() {
  const shown = toasts.value;
  const box = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    // Reopen it, so that it is above a dialog opened in the meantime.
    if ("hidePopover" in element && element.matches(":popover-open")) element.hidePopover();
    showOnTop(element);
  }, [shown]);
  if (shown.length === 0) return null;
  return (
    <section ref={box} class={styles.toasts} popover="manual" aria-label={t("ui.notices")}>
      <ol class={styles.list}>
        {shown.map((each) => (
          <Notice key={each.id} {...each} />
        ))}
      </ol>
    </section>
  );
}
