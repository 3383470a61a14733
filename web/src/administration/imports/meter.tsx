import styles from "./imports.module.css";

interface MeterProps {
  label: string;
  done: number;
  /** 0 if unknown. */
  total: number;
  text?: string | undefined;
}

/** How far something has come. */
export const Meter = ({ label, done, total, text }: MeterProps) => (
  <div class={styles.meter}>
    <progress aria-label={label} {...(total > 0 ? { max: total, value: Math.min(done, total) } : {})} />
    {text !== undefined && <p class={styles.amount}>{text}</p>}
  </div>
);
