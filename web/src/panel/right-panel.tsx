/** The panel beside the current place: details of a conversation, a profile, a message's history or receipts. */
import "../text/chunks/fields.ts";
import "../text/chunks/panel.ts";
import { useEffect, useRef } from "preact/hooks";
import { closePanel, goBack, hasPanelBefore, panel, place } from "../navigation/router.ts";
import type { Panel } from "../navigation/panel.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { Details } from "./details.tsx";
import { History } from "./history.tsx";
import { Profile } from "./profile.tsx";
import { Receipts } from "./receipts.tsx";
import styles from "./right-panel.module.css";

const titleOf = ({ kind }: Panel): string =>
  t(
    kind === "details"
      ? "panel.details"
      : kind === "user"
        ? "panel.profile"
        : kind === "history"
          ? "message.history"
          : "message.receipts",
  );

export default function RightPanel() {
  const shown = panel.value;
  const box = useRef<HTMLElement>(null);
  const opener = useRef<Element | null>(null);
  useEffect(() => {
    opener.current = document.activeElement;
    return () => {
      const { current } = opener;
      if (current instanceof HTMLElement && current.isConnected && document.activeElement === document.body)
        current.focus({ preventScroll: true });
    };
  }, []);
  // The reader opened it to read it, so it gets focus; Escape or the button leads back.
  const what = shown && JSON.stringify({ ...shown, tab: undefined });
  useEffect(() => box.current?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true }), [what]);
  if (!shown) return null;
  return (
    <aside ref={box} class={styles.panel} aria-label={titleOf(shown)}>
      <header class={styles.header}>
        {hasPanelBefore.value && <IconButton icon="arrow-left" label={t("app.back")} onClick={goBack} />}
        <h2 class={styles.title} tabIndex={-1}>
          {titleOf(shown)}
        </h2>
        <IconButton icon="x" label={t("ui.close")} keys="Esc" onClick={closePanel} />
      </header>
      <Content shown={shown} />
    </aside>
  );
}

function Content({ shown }: { shown: Panel }) {
  switch (shown.kind) {
    case "details":
      return <Details place={place.value} tab={shown.tab} />;
    case "user":
      return (
        <div class={styles.body}>
          <Profile key={shown.userId} userId={shown.userId} />
        </div>
      );
    case "history":
      return <History key={shown.messageId} messageId={shown.messageId} />;
    case "receipts":
      return <Receipts key={shown.messageId} messageId={shown.messageId} />;
  }
}
