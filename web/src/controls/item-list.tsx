/**
 * A short list of things with actions for each. With `onReorder` the order can be changed: by dragging a row's handle, or
 * with the arrow keys on it.
 */
import "../text/chunks/controls.ts";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import styles from "./item-list.module.css";

interface ItemListProps<Item> {
  label: string;
  items: readonly Item[];
  keyOf: (item: Item) => number | string;
  /** Names an item in labels. */
  nameOf: (item: Item) => string;
  render: (item: Item) => ComponentChildren;
  actions?: (item: Item) => ComponentChildren;
  onReorder?: ((items: Item[]) => void) | undefined;
}

export function move<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

export function ItemList<Item>({ label, items, keyOf, nameOf, render, actions, onReorder }: ItemListProps<Item>) {
  const list = useRef<HTMLUListElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number }>();
  /** The item moved by a key: its handle loses focus when its row moves. */
  const moved = useRef<number | string>(undefined);

  useLayoutEffect(() => {
    if (moved.current === undefined) return;
    const index = items.findIndex((item) => keyOf(item) === moved.current);
    moved.current = undefined;
    list.current?.children[index]?.querySelector("button")?.focus();
  }, [items]);

  const reorder = (from: number, to: number): void => {
    const item = items[from];
    if (item === undefined || from === to || to < 0 || to >= items.length) return;
    onReorder?.(move(items, from, to));
    announce(t("list.moved", { name: nameOf(item), position: to + 1, count: items.length }));
  };
  /** Where an item would be if the pointer were released here. */
  const placeAt = (from: number, y: number): number =>
    [...(list.current?.children ?? [])].filter((row, index) => {
      const { top, height } = row.getBoundingClientRect();
      return index !== from && y > top + height / 2;
    }).length;
  /** Where to show that. */
  const markOf = (index: number): string | undefined => {
    if (!drag || drag.to === drag.from || drag.to !== index) return undefined;
    return drag.to < drag.from ? styles.before : styles.after;
  };

  return (
    <ul ref={list} class={styles.list} aria-label={label}>
      {items.map((item, index) => (
        <li key={keyOf(item)} class={classes(styles.item, drag?.from === index && styles.dragged, markOf(index))}>
          {onReorder && (
            <IconButton
              icon="grip-vertical"
              label={t("list.move", { name: nameOf(item) })}
              keys="↑ ↓"
              class={styles.handle}
              onKeyDown={(event) => {
                const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
                if (step === undefined) return;
                event.preventDefault();
                event.stopPropagation();
                moved.current = keyOf(item);
                reorder(index, index + step);
              }}
              onPointerDown={(event) => {
                event.currentTarget.setPointerCapture(event.pointerId);
                setDrag({ from: index, to: index });
              }}
              onPointerMove={(event) => {
                if (!drag || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
                const to = placeAt(index, event.clientY);
                if (to !== drag.to) setDrag({ from: index, to });
              }}
              onPointerUp={(event) => {
                setDrag(undefined);
                if (drag) reorder(index, placeAt(index, event.clientY));
              }}
              onPointerCancel={() => setDrag(undefined)}
            />
          )}
          <div class={styles.content}>{render(item)}</div>
          {actions && <div class={styles.actions}>{actions(item)}</div>}
        </li>
      ))}
    </ul>
  );
}
