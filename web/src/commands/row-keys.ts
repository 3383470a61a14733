/** Keyboard navigation in lists of links: j and k move from row to row as they do among messages, Enter opens. */
import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import { listControls, type ListControls } from "./selection.ts";

const rowsIn = (list: HTMLElement): HTMLElement[] => [...list.querySelectorAll<HTMLElement>("a[data-row]")];

export function rowControls(list: HTMLElement): ListControls {
  const focus = (row: HTMLElement | undefined): void => {
    row?.focus({ preventScroll: true });
    row?.scrollIntoView({ block: "nearest" });
  };
  /** The focused row, or the one whose button has focus. */
  const now = (rows: HTMLElement[]): number =>
    rows.findIndex((row) => (row.closest("li") ?? row).contains(document.activeElement));
  const move = (by: number): void => {
    const rows = rowsIn(list);
    const at = now(rows);
    focus(at < 0 ? rows[0] : rows[Math.min(rows.length - 1, Math.max(0, at + by))]);
  };
  /** Of a long list, only the rows near the view exist: those at its end do one frame after it was scrolled there. */
  const toEdge = (row: 0 | -1, scrollTop: number): void => {
    list.scrollTop = scrollTop;
    focus(rowsIn(list).at(row));
    requestAnimationFrame(() => {
      list.scrollTop = scrollTop;
      requestAnimationFrame(() => focus(rowsIn(list).at(row)));
    });
  };
  const screenful = (): number => {
    const [first] = rowsIn(list);
    return Math.max(1, Math.floor(list.clientHeight / (first?.offsetHeight || 1)) - 1);
  };
  return {
    move,
    moveToStart: () => toEdge(0, 0),
    moveToEnd: () => toEdge(-1, list.scrollHeight),
    focus: () => {
      const rows = rowsIn(list);
      focus(rows[Math.max(0, now(rows))]);
    },
    page: (by) => move(by * screenful()),
  };
}

export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!list.current) return undefined;
    const controls = rowControls(list.current);
    listControls.value = controls;
    return () => {
      if (listControls.peek() === controls) listControls.value = undefined;
    };
  }, []);
}
