/** All keyboard shortcuts, from the tables that define them. */
import "../text/chunks/keys.ts";
import { t, type TextKey } from "../text/t.ts";
import { Keys } from "../ui/key-caps.tsx";
import { composerKeys } from "./composer-keys.ts";
import styles from "./key-list.module.css";
import { keyTable, type KeyGroup } from "./keys.ts";

const groups: readonly KeyGroup[] = ["anywhere", "go", "write", "message", "topic"];

interface Listed {
  keys: readonly string[];
  label: TextKey;
}

interface KeyListProps {
  /** A tab stop, where nothing else in it can have focus: it must be scrollable by keyboard. */
  isFocusable?: boolean;
}

export const KeyList = ({ isFocusable = false }: KeyListProps) => (
  <div
    class={styles.groups}
    {...(isFocusable ? { tabIndex: 0, role: "group" as const, "aria-label": t("keys.title") } : {})}
  >
    {groups.map((group) => (
      <Group
        key={group}
        label={t(`keys.group.${group}`)}
        keys={keyTable.filter((binding) => binding.group === group)}
      />
    ))}
    <Group label={t("keys.group.composer")} keys={composerKeys()} />
  </div>
);

const Group = ({ label, keys }: { label: string; keys: readonly Listed[] }) => (
  <section>
    <h3 class={styles.heading}>{label}</h3>
    <dl class={styles.keys}>
      {keys.map((each) => (
        <div key={each.label} class={styles.key}>
          <dt>{t(each.label)}</dt>
          <dd>
            {each.keys.map((key) => (
              <Keys key={key} keys={key} class={styles.cap} />
            ))}
          </dd>
        </div>
      ))}
    </dl>
  </section>
);
