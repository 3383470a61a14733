/** A section of the sidebar with a heading that collapses it. While it is collapsed, the heading counts what is unread. */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { filter } from "./filter.ts";
import { isFolded, toggleFolded } from "./folded.ts";
import styles from "./section.module.css";
import { Count, type Tally } from "./sidebar-row.tsx";

interface SectionProps {
  /** By which it is remembered whether it is collapsed. */
  name: string;
  title: string;
  actions?: ComponentChildren;
  unread: () => Tally;
  children: ComponentChildren;
}

export function Section({ name, title, actions, unread, children }: SectionProps) {
  // What the filter finds is shown.
  const isOpen = filter.value !== "" || !isFolded(name);
  const id = useId();
  return (
    <section class={styles.section}>
      <div class={styles.heading}>
        <h2>
          <button
            type="button"
            class={styles.toggle}
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => toggleFolded(name)}
          >
            <Icon name="chevron-down" size={14} class={classes(styles.arrow, !isOpen && styles.folded)} />
            <span class={styles.title} dir="auto">
              {title}
            </span>
            {!isOpen && <Count {...unread()} />}
          </button>
        </h2>
        {actions}
      </div>
      <ul id={id} class={styles.rows} hidden={!isOpen}>
        {children}
      </ul>
    </section>
  );
}
