/** A field above a list that filters its rows. */
import styles from "./filter-field.module.css";
import { Icon } from "./icon.tsx";

interface FilterFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  onEnter?: () => void;
}

export const FilterField = ({ label, value, onChange, onEnter }: FilterFieldProps) => (
  <div class={styles.filter}>
    <Icon name="list-filter" size={14} />
    <input
      type="search"
      placeholder={label}
      aria-label={label}
      value={value}
      onInput={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") onEnter?.();
      }}
    />
  </div>
);
