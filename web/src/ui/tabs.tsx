/** A row of tabs. Arrows move and select; the caller renders the panel, connected by `tabPanel()`. */
import { useRef } from "preact/hooks";
import { formatNumber } from "../text/t.ts";
import { classes } from "./classes.ts";
import styles from "./tabs.module.css";

export interface Tab {
  id: string;
  label: string;
  count?: number | undefined;
}

interface TabsProps {
  /** The row's id, unique on the page: panels refer to it. */
  id: string;
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
  class?: string | undefined;
}

/** The attributes that make an element a tab's panel. */
export const tabPanel = (tabs: string, selected: string) =>
  ({ id: `${tabs}-panel`, role: "tabpanel", "aria-labelledby": `${tabs}-${selected}` }) as const;

const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

export function Tabs({ id, label, tabs, selected, onSelect, class: className }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent): void => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const step = (steps[event.key] ?? 0) * (getComputedStyle(list.current as Element).direction === "rtl" ? -1 : 1); // rendered below
    const to = event.key === "Home" ? 0 : event.key === "End" ? -1 : step === 0 ? undefined : (at + step) % tabs.length;
    const next = to === undefined ? undefined : tabs.at(to);
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    list.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${next.id}`)}`)?.focus();
  };
  return (
    <div ref={list} role="tablist" aria-label={label} class={classes(styles.tabs, className)} onKeyDown={move}>
      {tabs.map((tab) => (
        <button
          key={tab.id}
          id={`${id}-${tab.id}`}
          type="button"
          role="tab"
          class={styles.tab}
          aria-selected={tab.id === selected}
          aria-controls={tab.id === selected ? `${id}-panel` : undefined}
          tabIndex={tab.id === selected ? 0 : -1}
          onClick={() => onSelect(tab.id)}
        >
          {tab.label}
          {tab.count !== undefined && tab.count > 0 && <span class={styles.count}>{formatNumber(tab.count)}</span>}
        </button>
      ))}
    </div>
  );
}
