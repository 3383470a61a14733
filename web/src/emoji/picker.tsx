/**
 * Choosing an emoji: recent ones first, then the organization's own, then all by subject; typing searches. Focus stays in
 * the search field, arrows move through the grid.
 */
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { Popover } from "../ui/popover.tsx";
import { Rows, type RowsHandle } from "../ui/rows.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import type { EmojiPickerProps } from "./emoji-button.tsx";
import type { Emoji } from "./emoji.ts";
import { groupEmoji, groupNames } from "./groups.ts";
import styles from "./picker.module.css";
import { findEmoji } from "./suggest.ts";

const columns = 9;
const rowHeight = 36;
const mostFound = 90;
const mostRecent = 2 * columns;

type Row = { heading: string } | { emoji: readonly Emoji[]; /** Of the first, among all shown. */ first: number };

interface Grid {
  rows: readonly Row[];
  /** All that is shown, in reading order. */
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
  if (query.trim() !== "") return layOut([["", findEmoji(all, query, mostFound, recent)]]);
  const byName = new Map(all.map((emoji) => [emoji.name, emoji]));
  const used = recent.flatMap((name) => byName.get(name) ?? []).slice(0, mostRecent);
  const groups = groupEmoji(all);
  const sections = Object.entries(groupNames).map(([group, name]): [string, Emoji[]] => [
    t(name),
    groups.get(group as keyof typeof groupNames) ?? [], // the keys of that very table
  ]);
  return layOut([[t("emoji.recent"), used], ...sections]);
}

const rowOf = ({ rows }: Grid, cell: number): number =>
  rows.findIndex((row) => "emoji" in row && cell >= row.first && cell < row.first + row.emoji.length);

/** The cell a key leads to. Up and down keep the column as far as the row reaches. */
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
    const there = grid.rows[next];
    if (there && "emoji" in there) return there.first + Math.min(column, there.emoji.length - 1);
  }
  return cell;
}

const spoken = (emoji: Emoji): string => emoji.name.replaceAll("_", " ");

export function EmojiPicker({ anchor, source, onChoose, onClose }: EmojiPickerProps) {
  const [all, setAll] = useState<readonly Emoji[]>();
  const [hasFailed, setFailed] = useState(false);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  /** Enter was pressed before the names were there: what is found first then is taken. */
  const [isAwaited, setAwaited] = useState(false);
  const rows = useRef<RowsHandle>(null);
  const id = useId();

  const load = (): void => {
    setFailed(false);
    source.load().then(setAll, () => setFailed(true));
  };
  useEffect(load, []);

  const recent = useMemo(() => source.recent(), []);
  const grid = useMemo(() => gridOf(all ?? [], query, recent), [all, query]);
  const chosen = grid.cells[active];

  const choose = (emoji: Emoji): void => {
    source.noteUse(emoji);
    onChoose(emoji);
  };
  useEffect(() => {
    if (!isAwaited || all === undefined) return;
    setAwaited(false);
    if (chosen) choose(chosen);
  }, [all, isAwaited]);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (event.key === "Enter") {
      if (chosen) choose(chosen);
      else if (all === undefined) setAwaited(true);
    } else {
      // Left and right move in the text while there is some.
      if (query !== "" && (event.key === "ArrowLeft" || event.key === "ArrowRight") && active === 0) return;
      const next = moved(grid, active, event.key);
      if (next === undefined) return;
      setActive(next);
      rows.current?.reveal(rowOf(grid, next));
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const cell = (emoji: Emoji, index: number) => (
    <button
      key={index}
      id={`${id}-${index}`}
      type="button"
      role="gridcell"
      tabIndex={-1}
      aria-label={spoken(emoji)}
      aria-selected={index === active}
      class={classes(styles["cell"], index === active && styles["active"])}
      onPointerMove={() => index !== active && setActive(index)}
      onPointerDown={(event) => event.preventDefault()}
      onClick={() => choose(emoji)}
    >
      {emoji.glyph ?? <img src={emoji.image} alt="" width={22} height={22} loading="lazy" />}
    </button>
  );

  return (
    <Popover anchor={anchor} onClose={onClose} label={t("emoji.title")} place="aboveStart" class={styles["picker"]}>
      <div class={styles["search"]}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label={t("emoji.search")}
          aria-expanded="true"
          aria-haspopup="grid"
          aria-controls={`${id}-grid`}
          aria-activedescendant={chosen && `${id}-${active}`}
          placeholder={t("emoji.search")}
          autocomplete="off"
          data-autofocus
          value={query}
          onInput={(event) => {
            setQuery(event.currentTarget.value);
            setActive(0);
            setAwaited(false);
            if (rows.current?.element) rows.current.element.scrollTop = 0;
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {hasFailed ? (
        <div class={styles["empty"]} role="alert">
          <p>{t("emoji.failed")}</p>
          <Button onClick={load}>{t("ui.retry")}</Button>
        </div>
      ) : all === undefined ? (
        <div class={styles["grid"]}>
          <Skeleton rows={7} height={rowHeight} />
        </div>
      ) : grid.cells.length === 0 ? (
        <div class={styles["empty"]} role="status">
          {t("emoji.none", { query })}
        </div>
      ) : (
        <Rows
          handle={rows}
          id={`${id}-grid`}
          role="grid"
          label={t("emoji.title")}
          class={styles["grid"]}
          items={grid.rows}
          height={rowHeight}
          kept={rowOf(grid, active)}
          keyOf={(row, index) => ("heading" in row ? row.heading : index)}
          render={(row) =>
            "heading" in row ? (
              <div role="rowheader" class={styles["heading"]}>
                {row.heading}
              </div>
            ) : (
              <div class={styles["row"]} role="presentation">
                {row.emoji.map((emoji, column) => cell(emoji, row.first + column))}
              </div>
            )
          }
        />
      )}
      <div class={styles["footer"]} aria-hidden="true">
        {chosen && (
          <>
            <span class={styles["big"]}>
              {chosen.glyph ?? <img src={chosen.image} alt="" width={26} height={26} />}
            </span>
            <span class={styles["names"]}>{chosen.names.map((name) => `:${name}:`).join(" ")}</span>
          </>
        )}
      </div>
    </Popover>
  );
}
