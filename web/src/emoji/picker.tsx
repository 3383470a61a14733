/**
 * The emoji picker: recent ones first, then the organization's own, then all by subject; typing searches. Focus stays in the
 * search field, and arrow keys move through the grid.
 */
import "../text/chunks/emoji.ts";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { useCombobox } from "../ui/combobox.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover } from "../ui/popover.tsx";
import { Rows, type RowsHandle } from "../ui/rows.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { EmojiPickerProps } from "./emoji-button.tsx";
import type { Emoji } from "../text/emoji.ts";
import { groupEmoji, groupNames } from "./groups.ts";
import styles from "./picker.module.css";
import { findEmoji } from "./find-emoji.ts";

const columns = 9;
const rowHeight = 36;
const maxResults = 90;
const maxRecent = 2 * columns;

type Row = { heading: string } | { emoji: readonly Emoji[]; /** Of the first, among all shown. */ first: number };

interface Grid {
  rows: readonly Row[];
  /** Everything shown, in reading order. */
  cells: readonly Emoji[];
}

function layOut(sections: readonly [heading: string, emoji: readonly Emoji[]][]): Grid {
  const rows: Row[] = [];
  const cells: Emoji[] = [];
  for (const [heading, emoji] of sections) {
    if (emoji.length === 0) continue;
    if (heading !== "") rows.push({ heading });
    for (let at = 0; at < emoji.length; at += columns) {
      rows.push({ emoji: emoji.slice(at, at + columns), first: cells.length });
      cells.push(...emoji.slice(at, at + columns));
    }
  }
  return { rows, cells };
}

function gridOf(all: readonly Emoji[], query: string, recent: readonly string[]): Grid {
  if (query.trim() !== "") return layOut([["", findEmoji(all, query, maxResults, recent)]]);
  const byName = new Map(all.map((emoji) => [emoji.name, emoji]));
  const used = recent.flatMap((name) => byName.get(name) ?? []).slice(0, maxRecent);
  const groups = groupEmoji(all);
  const sections = Object.entries(groupNames).map(([group, name]): [string, Emoji[]] => [
    t(name),
    groups.get(group as keyof typeof groupNames) ?? [], // the keys of that very table
  ]);
  return layOut([[t("emoji.recent"), used], ...sections]);
}

const rowOf = ({ rows }: Grid, cell: number): number =>
  rows.findIndex((row) => "emoji" in row && cell >= row.first && cell < row.first + row.emoji.length);

/** The cell a key moves to. Up and down keep the column as far as the row reaches. */
function moved(grid: Grid, cell: number, key: string): number | undefined {
  const last = grid.cells.length - 1;
  if (key === "ArrowRight") return Math.min(last, cell + 1);
  if (key === "ArrowLeft") return Math.max(0, cell - 1);
  const step = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0;
  if (step === 0) return undefined;
  const at = rowOf(grid, cell);
  const row = grid.rows[at];
  const column = row && "emoji" in row ? cell - row.first : 0;
  for (let next = at + step; next >= 0 && next < grid.rows.length; next += step) {
    const nextRow = grid.rows[next];
    if (nextRow && "emoji" in nextRow) return nextRow.first + Math.min(column, nextRow.emoji.length - 1);
  }
  return cell;
}

const spoken = (emoji: Emoji): string => emoji.name.replaceAll("_", " ");

export function EmojiPicker({ anchor, source, onChoose, onClose }: EmojiPickerProps) {
  const [all, setAll] = useState<readonly Emoji[]>();
  const [hasFailed, setFailed] = useState(false);
  const [query, setQuery] = useState("");
  /** Enter was pressed before the names were loaded: choose the first match then. */
  const [isAwaited, setAwaited] = useState(false);
  const rows = useRef<RowsHandle>(null);

  const load = (): void => {
    setFailed(false);
    source.load().then(setAll, () => setFailed(true));
  };
  useEffect(load, []);

  const recent = useMemo(() => source.recent(), []);
  const grid = useMemo(() => gridOf(all ?? [], query, recent), [all, query]);

  const choose = (emoji: Emoji): void => {
    source.noteUse(emoji);
    onChoose(emoji);
  };
  const combobox = useCombobox({
    options: grid.cells,
    query,
    popup: "grid",
    onChoose: choose,
    // Left and right move within the text while there is some.
    move: (key, active) =>
      query !== "" && active === 0 && (key === "ArrowLeft" || key === "ArrowRight")
        ? undefined
        : moved(grid, active, key),
    reveal: (index) => rows.current?.reveal(rowOf(grid, index)),
  });
  const chosen = combobox.options[combobox.active];
  useEffect(() => {
    if (!isAwaited || all === undefined) return;
    setAwaited(false);
    if (chosen) choose(chosen);
  }, [all, isAwaited]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || combobox.handleKey(event) || event.key !== "Enter") return;
    if (all === undefined) setAwaited(true);
    // The picker may be inside a form, which Enter must not submit.
    event.preventDefault();
    event.stopPropagation();
  };

  const cell = (emoji: Emoji, index: number) => (
    <button
      key={index}
      {...combobox.option(index)}
      type="button"
      tabIndex={-1}
      aria-label={spoken(emoji)}
      class={styles.cell}
    >
      {emoji.glyph ?? <img src={emoji.image} alt="" width={22} height={22} loading="lazy" />}
    </button>
  );

  return (
    <Popover anchor={anchor} onClose={onClose} label={t("emoji.title")} place="aboveStart" class={styles.picker}>
      <div class={styles.search}>
        <Icon name="search" />
        <input
          {...combobox.field}
          type="text"
          aria-label={t("emoji.search")}
          placeholder={t("emoji.search")}
          data-autofocus
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setAwaited(false);
            if (rows.current?.element) rows.current.element.scrollTop = 0;
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {hasFailed ? (
        <div class={styles.empty} role="alert">
          <p>{t("emoji.failed")}</p>
          <Button onClick={load}>{t("ui.retry")}</Button>
        </div>
      ) : all === undefined ? (
        <div class={styles.grid}>
          <Skeleton rows={7} height={rowHeight} />
        </div>
      ) : grid.cells.length === 0 ? (
        <div class={styles.empty} role="status">
          {t("emoji.none", { query })}
        </div>
      ) : (
        <Rows
          handle={rows}
          {...combobox.list}
          label={t("emoji.title")}
          class={styles.grid}
          items={grid.rows}
          height={rowHeight}
          kept={rowOf(grid, combobox.active)}
          keyOf={(row, index) => ("heading" in row ? row.heading : index)}
          render={(row) =>
            "heading" in row ? (
              <div role="rowheader" class={styles.heading}>
                {row.heading}
              </div>
            ) : (
              <div class={styles.row} role="presentation">
                {row.emoji.map((emoji, column) => cell(emoji, row.first + column))}
              </div>
            )
          }
        />
      )}
      <div class={styles.footer} aria-hidden="true">
        {chosen && (
          <>
            <span class={styles.big}>{chosen.glyph ?? <img src={chosen.image} alt="" width={26} height={26} />}</span>
            <span class={styles.names}>{chosen.names.map((name) => `:${name}:`).join(" ")}</span>
          </>
        )}
      </div>
    </Popover>
  );
}
