import type { ComponentChildren } from "preact";
import styles from "./gallery.module.css";

export const Section = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
  <section id={id} class={styles.section} aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);
