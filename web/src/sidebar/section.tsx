/** A section of the sidebar with a heading that collapses it. */
import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import styles from "./section.module.css";

interface SectionProps {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ title, actions, children }: SectionProps) {
  const [isOpen, setOpen] = useState(true);
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
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name="chevron-down" size={14} class={classes(styles.arrow, !isOpen && styles.folded)} />
            {title}
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
