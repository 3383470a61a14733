/** All keyboard shortcuts, from the table that defines them. */
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Keys } from "../ui/key-caps.tsx";
import styles from "./keys-dialog.module.css";
import { keyTable, type KeyGroup } from "./keys.ts";

const groups: KeyGroup[] = ["anywhere", "go", "write", "message", "topic"];

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("keys.title")} width="wide" onClose={onClose}>
      {/* Long on a narrow screen: it must be scrollable by keyboard. */}
      <div class={styles.groups} tabIndex={0} role="group" aria-label={t("keys.title")}>
        {groups.map((group) => (
          <section key={group}>
            <h3 class={styles.heading}>{t(`keys.group.${group}`)}</h3>
            <dl class={styles.keys}>
              {keyTable
                .filter((binding) => binding.group === group)
                .map(({ keys, label }) => (
                  <div key={keys[0]} class={styles.key}>
                    <dt>{t(label)}</dt>
                    <dd>
                      {keys.map((key) => (
                        <Keys key={key} keys={key} class={styles.cap} />
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
