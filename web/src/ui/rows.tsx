/**
 * A list of any length whose rows all have the same height: only rows near the view exist. The role gives a row its meaning
 * for screen readers; aria-posinset gives its position, since its neighbors may not exist.
 */
import type { ComponentChildren, HTMLAttributes, Ref } from "preact";
import { useImperativeHandle, useLayoutEffect, useRef, useState } from "preact/hooks";
import { classes } from "./classes.ts";
import styles from "./rows.module.css";

export interface RowsHandle {
  /** Scrolls as little as needed. */
  reveal: (index: number) => void;
  element: HTMLElement | null;
}

interface RowsProps<Item> {
  items: readonly Item[];
  /** Of a row, in pixels. */
  height: number;
  keyOf: (item: Item, index: number) => string | number;
  render: (item: Item, index: number) => ComponentChildren;
  label: string;
  /** A rowgroup is inside a grid, below its header. */
  role?: "list" | "listbox" | "grid" | "rowgroup";
  /** More attributes of a row. */
  rowOf?: (item: Item, index: number) => HTMLAttributes<HTMLDivElement>;
  id?: string | undefined;
  handle?: Ref<RowsHandle>;
  /** The focused or active row: it always exists, wherever the view is scrolled to. */
  kept?: number | undefined;
  class?: string | undefined;
}

const beyond = 6;
const rowRoles = { list: "listitem", listbox: "presentation", grid: "row", rowgroup: "row" } as const;
/** The index of the first row for screen readers; the header of a grid is the first. */
const firstRow: Readonly<Record<string, number>> = { grid: 1, rowgroup: 2 };

interface Range {
  start: number;
  end: number;
}

export function Rows<Item>({
  items,
  height,
  keyOf,
  render,
  label,
  role = "list",
  rowOf,
  id,
  handle,
  kept,
  class: className,
}: RowsProps<Item>) {
  const scroller = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState<Range>({ start: 0, end: 30 });

  const look = (): void => {
    const element = scroller.current;
    if (element === null) return;
    // In steps, so that most scroll events change nothing.
    const first = Math.floor(element.scrollTop / height / beyond) * beyond;
    const visible = Math.ceil((element.clientHeight || 30 * height) / height);
    const next = { start: Math.max(0, first - beyond), end: first + visible + 2 * beyond };
    setRange((old) => (old.start === next.start && old.end === next.end ? old : next));
  };

  useLayoutEffect(() => {
    look();
    if (!("ResizeObserver" in globalThis)) return;
    const observer = new ResizeObserver(look);
    if (scroller.current) observer.observe(scroller.current);
    return () => observer.disconnect();
  }, [height, items.length]);

  useImperativeHandle(handle ?? null, () => ({
    get element() {
      return scroller.current;
    },
    reveal(index) {
      const element = scroller.current;
      if (element === null) return;
      const top = index * height;
      if (top < element.scrollTop) element.scrollTop = top;
      else if (top + height > element.scrollTop + element.clientHeight)
        element.scrollTop = top + height - element.clientHeight;
      look();
    },
  }));

  const end = Math.min(items.length, range.end);
  const start = Math.min(range.start, Math.max(0, end - 1));
  const indexes = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
  if (kept !== undefined && kept >= 0 && kept < items.length && (kept < start || kept >= end)) indexes.push(kept);

  return (
    <div
      ref={scroller}
      class={classes(styles.scroller, className)}
      onScroll={look}
      // The rows of a table can be focused themselves.
      tabIndex={role === "list" ? 0 : role === "rowgroup" ? undefined : -1}
      role="presentation"
    >
      <div
        id={id}
        role={role}
        aria-label={role === "rowgroup" ? undefined : label}
        aria-rowcount={role === "grid" ? items.length : undefined}
        class={styles.content}
        style={{ blockSize: `${items.length * height}px` }}
      >
        {indexes.map((index) => {
          const item = items[index] as Item; // within bounds, see above
          const first = firstRow[role];
          const { class: rowClass, ...attributes } = rowOf?.(item, index) ?? {};
          return (
            <div
              {...attributes}
              key={keyOf(item, index)}
              role={rowRoles[role]}
              aria-posinset={role === "list" ? index + 1 : undefined}
              aria-setsize={role === "list" ? items.length : undefined}
              aria-rowindex={first === undefined ? undefined : index + first}
              class={classes(styles.row, rowClass as string | undefined)}
              style={{ blockSize: `${height}px`, transform: `translateY(${index * height}px)` }}
            >
              {render(item, index)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
