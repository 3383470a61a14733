/**
 * A table of the administration: a filter, sorting by column, rows to select and to open, actions on one or many. Only rows
 * near the view exist. It is a grid with one tab stop: up, down, Home and End move from row to row, right and left between
 * the controls of a row; Space selects, Enter opens. Where there is little room, each row is a card.
 */
import "../text/chunks/controls.ts";
import type { ComponentChildren, HTMLAttributes } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { recall, remember } from "../navigation/router.ts";
import type { Key, Listing } from "../store/listing.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { FilterField } from "../ui/filter-field.tsx";
import { Icon } from "../ui/icon.tsx";
import { MenuButton, type MenuEntry } from "../ui/menu.tsx";
import { Rows, type RowsHandle } from "../ui/rows.tsx";
import styles from "./table.module.css";

export interface Column<Item> {
  /** Rows are sorted by it if the listing knows how. */
  id: string;
  label: string;
  /** Its width beside the others, like `8rem` or `2fr`. */
  width: string;
  render: (item: Item) => ComponentChildren;
  /** In a card, the value alone would not say what it is. */
  isLabelled?: boolean;
  /** In a card: on a line of its own, or left out. By default it shares a line with others. */
  card?: "line" | "none";
}

interface TableProps<Item> {
  /** Under which its state is kept for the way back. */
  id: string;
  label: string;
  listing: Listing<Item>;
  /** The first one is the heading of a card. */
  columns: readonly Column<Item>[];
  sortedBy: string;
  isDescending?: boolean;
  /** The name of a row, for its controls. */
  nameOf: (item: Item) => string;
  filterLabel: string;
  /** How many rows are shown, like "3 users". */
  countOf: (count: number) => string;
  /** More filters, beside the field. */
  filters?: ComponentChildren;
  /** What the other filters leave. A new function is a new filter. */
  isShown?: ((item: Item) => boolean) | undefined;
  onOpen?: ((item: Item) => void) | undefined;
  actionsOf?: (item: Item) => readonly MenuEntry[];
  /** Buttons for the selected rows. Without it, rows cannot be selected. */
  bulkActions?: ((selected: readonly Item[], clear: () => void) => ComponentChildren) | undefined;
  /** Says that the other filters leave nothing; by default as for a query without results. */
  noneShown?: string | undefined;
  /** Shown instead of rows if there are none at all. */
  empty: ComponentChildren;
}

/** Kept for the way back. */
interface Kept {
  query: string;
  sort: { by: string; isDescending: boolean };
  /** The row that was focused. */
  current?: { key: Key; index: number } | undefined;
}

const isKept = (value: unknown): value is Kept => typeof value === "object" && value !== null && "sort" in value;

const rowHeight = 44;
const cardHeight = 84;
/** Narrower tables show cards. */
const narrow = 640;

export function Table<Item>(props: TableProps<Item>) {
  const {
    label,
    listing,
    columns,
    nameOf,
    filterLabel,
    countOf,
    filters,
    isShown,
    onOpen,
    actionsOf,
    bulkActions,
    empty,
  } = props;
  const { keyOf } = listing;
  const [before] = useState(() => {
    const kept = recall(`table ${props.id}`);
    return isKept(kept) ? kept : undefined;
  });
  const [query, setQuery] = useState(before?.query ?? "");
  const [sort, setSort] = useState(before?.sort ?? { by: props.sortedBy, isDescending: props.isDescending ?? false });
  const [selectedKeys, setSelected] = useState<ReadonlySet<Key>>(new Set());
  const frame = useRef<HTMLDivElement>(null);
  const isCards = useIsNarrow(frame, listing.items.length > 0);
  useEffect(() => listing.prepare(), [listing]);

  const { items } = listing;
  const shown = listing.rows({ query, sortedBy: sort.by, isDescending: sort.isDescending, isShown });
  const isSelectable = bulkActions !== undefined;
  const selected = useMemo(
    () => (selectedKeys.size === 0 ? [] : items.filter((item) => selectedKeys.has(keyOf(item)))),
    [selectedKeys, items],
  );
  const clear = (): void => setSelected(new Set());
  const select = (item: Item): void =>
    setSelected((old) => {
      const next = new Set(old);
      if (!next.delete(keyOf(item))) next.add(keyOf(item));
      return next;
    });
  const isAllSelected = shown.length > 0 && selected.length > 0 && shown.every((item) => selectedKeys.has(keyOf(item)));
  const selectAll = (): void => (isAllSelected ? clear() : setSelected(new Set(shown.map(keyOf))));

  const keep = (current: Kept["current"]): void =>
    remember(`table ${props.id}`, { query, sort, current } satisfies Kept);
  const grid = useGrid({
    rows: shown,
    keyOf,
    start: before?.current,
    // At once: what opens a row may leave the table.
    onMove: keep,
    select: isSelectable ? select : undefined,
    open: onOpen,
  });
  useEffect(() => keep(grid.current), [query, sort]);
  const shownColumns = isCards ? columns.filter(({ card }) => card !== "none") : columns;
  const sortable = columns.filter(({ id }) => listing.isSortedBy(id));

  if (items.length === 0) return <>{empty}</>;
  return (
    <div class={styles.table} ref={frame} data-cards={isCards || undefined}>
      <div class={styles.tools}>
        <FilterField label={filterLabel} value={query} onChange={setQuery} onEnter={() => grid.focus(0)} />
        {filters}
        {isCards && sortable.length > 1 && (
          <ToolSelect
            label={t("table.sortBy")}
            value={`${sort.by} ${sort.isDescending}`}
            options={sortable.flatMap(({ id, label: name }) => [
              { value: `${id} false`, label: t("table.sorted", { column: name }) },
              { value: `${id} true`, label: t("table.reversed", { column: name }) },
            ])}
            onChange={(value) => {
              const [by = "", isDescending] = value.split(" ");
              setSort({ by, isDescending: isDescending === "true" });
            }}
          />
        )}
      </div>
      <div class={styles.state}>
        <span role="status">
          {selected.length > 0 ? t("table.selected", { count: selected.length }) : countOf(shown.length)}
        </span>
        {isSelectable && isCards && shown.length > 0 && (
          <Button kind="quiet" onClick={selectAll}>
            {t(isAllSelected ? "table.selectNone" : "table.selectAll")}
          </Button>
        )}
        {selected.length > 0 && (
          <>
            {bulkActions?.(selected, clear)}
            {!isCards && (
              <Button kind="quiet" onClick={clear}>
                {t("table.selectNone")}
              </Button>
            )}
          </>
        )}
      </div>
      {shown.length === 0 ? (
        <p class={styles.none}>{(query === "" && props.noneShown) || t("table.noneFound")}</p>
      ) : (
        <div
          class={styles.grid}
          role="grid"
          aria-label={label}
          aria-rowcount={shown.length + 1}
          aria-multiselectable={isSelectable || undefined}
          style={{ "--columns": columns.map(({ width }) => `minmax(0, ${width})`).join(" ") }}
          onKeyDown={grid.onKeyDown}
          onFocusIn={grid.onFocusIn}
        >
          <div role="rowgroup" class={isCards ? "visually-hidden" : styles.head}>
            <div role="row" aria-rowindex={1} class={styles.row}>
              {isSelectable && (
                <span role="columnheader" class={styles.check} aria-label={t("table.selection")}>
                  {!isCards && (
                    <input
                      type="checkbox"
                      aria-label={t("table.selectAll")}
                      checked={isAllSelected}
                      indeterminate={!isAllSelected && selected.length > 0}
                      onChange={selectAll}
                    />
                  )}
                </span>
              )}
              <div role="presentation" class={styles.cells}>
                {shownColumns.map(({ id, label: name }) => (
                  <ColumnHeader
                    key={id}
                    name={name}
                    isSortable={listing.isSortedBy(id) && !isCards}
                    order={sort.by !== id ? undefined : sort.isDescending ? "descending" : "ascending"}
                    onSort={() => setSort({ by: id, isDescending: sort.by === id && !sort.isDescending })}
                  />
                ))}
              </div>
              {actionsOf && <span role="columnheader" class={styles.more} aria-label={t("table.actions")} />}
            </div>
          </div>
          <Rows
            role="rowgroup"
            label={label}
            class={styles.rows}
            items={shown}
            height={isCards ? cardHeight : rowHeight}
            keyOf={keyOf}
            kept={grid.active}
            handle={grid.handle}
            rowOf={(item, index): HTMLAttributes<HTMLDivElement> => ({
              class: classes(styles.row, styles.item, onOpen && styles.opens),
              tabIndex: index === grid.active ? 0 : -1,
              "aria-selected": isSelectable ? selectedKeys.has(keyOf(item)) : undefined,
              onClick: (event) => {
                if (!isInControl(event.target)) onOpen?.(item);
              },
            })}
            render={(item, index) => {
              const tabIndex = index === grid.active ? 0 : -1;
              const actions = actionsOf?.(item);
              return (
                <>
                  {isSelectable && (
                    <span role="gridcell" class={styles.check}>
                      <input
                        type="checkbox"
                        tabIndex={tabIndex}
                        aria-label={t("table.select", { name: nameOf(item) })}
                        checked={selectedKeys.has(keyOf(item))}
                        onChange={() => select(item)}
                      />
                    </span>
                  )}
                  <div role="presentation" class={styles.cells}>
                    {shownColumns.map(({ id, label: name, render, isLabelled, card }, column) => (
                      <span
                        key={id}
                        role="gridcell"
                        class={classes(styles.cell, column === 0 && styles.first, card === "line" && styles.line)}
                      >
                        {isCards && isLabelled && <span class={styles.cellLabel}>{name} </span>}
                        {render(item)}
                      </span>
                    ))}
                  </div>
                  {actions && (
                    <span role="gridcell" class={styles.more}>
                      {actions.length > 0 && (
                        <MenuButton
                          icon="ellipsis"
                          label={t("table.actionsOn", { name: nameOf(item) })}
                          tabIndex={tabIndex}
                          entries={actions}
                        />
                      )}
                    </span>
                  )}
                </>
              );
            }}
          />
        </div>
      )}
    </div>
  );
}

const controls = "button, input, a[href], select";

const isInControl = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(`${controls}, [popover]`) !== null;

interface ColumnHeaderProps {
  name: string;
  isSortable: boolean;
  order: "ascending" | "descending" | undefined;
  onSort: () => void;
}

const ColumnHeader = ({ name, isSortable, order, onSort }: ColumnHeaderProps) => (
  <span role="columnheader" class={styles.columnHeader} aria-sort={isSortable ? (order ?? "none") : undefined}>
    {isSortable ? (
      <button type="button" onClick={onSort}>
        {name}
        {order && <Icon name={order === "ascending" ? "arrow-up" : "arrow-down"} size={14} />}
      </button>
    ) : (
      name
    )}
  </span>
);

interface ToolSelectProps {
  label: string;
  value: string;
  options: readonly { value: string; label: string }[];
  onChange: (value: string) => void;
}

/** A choice beside the filter field. */
export const ToolSelect = ({ label, value, options, onChange }: ToolSelectProps) => (
  <span class={styles.choice}>
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
    <Icon name="chevron-down" />
  </span>
);

/** Whether there is little room, whatever is beside the table. */
function useIsNarrow(frame: { current: HTMLElement | null }, isMounted: boolean): boolean {
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null || !("ResizeObserver" in globalThis)) return undefined;
    const measure = (): void => setNarrow(element.clientWidth > 0 && element.clientWidth < narrow);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [isMounted]);
  return isNarrow;
}

interface GridProps<Item> {
  rows: readonly Item[];
  keyOf: (item: Item) => Key;
  /** The row that had the focus when the table was last shown. */
  start: Kept["current"];
  onMove: (current: Kept["current"]) => void;
  select: ((item: Item) => void) | undefined;
  open: ((item: Item) => void) | undefined;
}

/** Moves focus between rows that may not exist yet. The focused row stays the same when rows come and go around it. */
function useGrid<Item>({ rows, keyOf, start, onMove, select, open }: GridProps<Item>) {
  const [current, setCurrent] = useState(start);
  const handle = useRef<RowsHandle>(null);
  const isMoving = useRef(false);
  const isCurrent = (item: Item | undefined): boolean => item !== undefined && keyOf(item) === current?.key;
  const index = current?.index ?? 0;
  const found = current === undefined || isCurrent(rows[index]) ? index : rows.findIndex(isCurrent);
  const active = Math.max(0, Math.min(found === -1 ? index : found, rows.length - 1));

  const activate = (to: number): void => {
    const item = rows[to];
    if (item === undefined) return;
    const next = { key: keyOf(item), index: to };
    setCurrent(next);
    onMove(next);
  };
  const focus = (to: number): void => {
    isMoving.current = true;
    activate(to);
    handle.current?.reveal(to);
    if (to === active) focusRow();
  };
  const focusRow = (): void => {
    isMoving.current = false;
    rowElement(handle.current?.element, active)?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    if (isMoving.current) focusRow();
  }, [active]);
  useEffect(() => {
    if (start) focus(active);
  }, []);

  const screenful = (): number => Math.max(1, Math.floor((handle.current?.element?.clientHeight ?? 0) / rowHeight) - 1);
  const targets: Record<string, () => number> = {
    ArrowDown: () => active + 1,
    ArrowUp: () => active - 1,
    PageDown: () => active + screenful(),
    PageUp: () => active - screenful(),
    Home: () => 0,
    End: () => rows.length - 1,
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target instanceof HTMLElement)) return;
    if (event.target.closest("[popover]")) return;
    const row = rowElement(handle.current?.element, active);
    const item = rows[active];
    if (!row?.contains(event.target) || item === undefined) return;
    const isOnRow = event.target === row;
    const target = targets[event.key];
    if (target && !(event.key === "ArrowDown" && event.target.matches("[aria-haspopup]")))
      focus(Math.max(0, Math.min(target(), rows.length - 1)));
    else if (event.key === "ArrowRight" || event.key === "ArrowLeft") moveInside(row, event);
    else if (event.key === " " && isOnRow && select) select(item);
    else if (event.key === "Enter" && isOnRow && open) open(item);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const onFocusIn = (event: FocusEvent): void => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[aria-rowindex]") : null;
    const at = Number(row?.getAttribute("aria-rowindex")) - firstRow;
    if (at >= 0 && (at !== active || current === undefined)) activate(at);
  };
  return { active, current, handle, focus, onKeyDown, onFocusIn };
}

/** The header is the first row. */
const firstRow = 2;

const rowElement = (list: HTMLElement | null | undefined, index: number): HTMLElement | null =>
  list?.querySelector<HTMLElement>(`[aria-rowindex="${index + firstRow}"]`) ?? null;

function moveInside(row: HTMLElement, { key, target }: KeyboardEvent): void {
  const stops = [row, ...row.querySelectorAll<HTMLElement>(controls)];
  const isForward = (key === "ArrowRight") === (getComputedStyle(row).direction !== "rtl");
  const at = stops.indexOf(target as HTMLElement); // inside the row
  stops[Math.max(0, Math.min(stops.length - 1, at + (isForward ? 1 : -1)))]?.focus();
}
