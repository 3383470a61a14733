/** A list whose rows can be revoked: asks first, and keeps the focus in the list when the row is gone. */
import "../text/chunks/access.ts";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Reloaded } from "../parts/use-reloaded.ts";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./access.module.css";
import { DangerDialog } from "./danger-dialog.tsx";

interface RevokedListProps<Item extends { id: number }> {
  label: string;
  items: Reloaded<readonly Item[]>;
  /** Shown instead of an empty list. */
  none: string;
  render: (item: Item) => ComponentChildren;
  /** The row's buttons; `revoke` asks. */
  actions: (item: Item, revoke: () => void) => ComponentChildren;
  question: (item: Item) => { title: string; text: string; action: string };
  revoke: (id: number) => Promise<unknown>;
}

export function RevokedList<Item extends { id: number }>(props: RevokedListProps<Item>) {
  const { label, items, none, render, actions, question, revoke } = props;
  const [asked, setAsked] = useState<Item>();
  const list = useRef<HTMLUListElement>(null);
  const isRevoked = useRef(false);
  // The button that had the focus is gone with its row.
  useEffect(() => {
    if (!isRevoked.current || asked || document.activeElement !== document.body) return;
    isRevoked.current = false;
    list.current?.focus();
  }, [asked, items.value]);
  if (items.failure !== undefined) return <Failure error={items.failure} onRetry={() => void items.reload()} />;
  if (items.value === undefined) return <Skeleton rows={3} height={64} />;
  const texts = asked && question(asked);
  return (
    <>
      {items.value.length === 0 ? (
        <p class={styles.note}>{none}</p>
      ) : (
        <ul ref={list} class={styles.list} aria-label={label} tabIndex={-1}>
          {items.value.map((item) => (
            <li key={item.id} class={styles.row}>
              <div class={styles.main}>{render(item)}</div>
              <div class={styles.buttons}>{actions(item, () => setAsked(item))}</div>
            </li>
          ))}
        </ul>
      )}
      {asked && texts && (
        <DangerDialog
          title={texts.title}
          action={texts.action}
          run={async () => {
            await revoke(asked.id);
            isRevoked.current = true;
            await items.reload();
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{texts.text}</p>
        </DangerDialog>
      )}
    </>
  );
}
