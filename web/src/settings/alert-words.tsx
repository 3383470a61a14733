/** Words that notify the reader like a mention. */
import "../text/chunks/settings.ts";
import { addAlertWords, removeAlertWords } from "@skein/api/routes/alert-words.ts";
import { call } from "../api/call.ts";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import styles from "./settings.module.css";

/** The server's limit. */
const maxLength = 100;

const toChip = (word: string): Chip => ({ key: word.toLowerCase(), label: word });

/** One for each line, if several are pasted. */
const read = (text: string): Chip[] =>
  text
    .split("\n")
    .map((word) => word.trim().slice(0, maxLength))
    .filter((word) => word !== "")
    .map(toChip);

export default function AlertWords() {
  const { saved, error, save } = useSaving();
  const words = part("alert_words").value ?? [];
  const change = (chips: readonly Chip[]): void => {
    const wanted = new Set(chips.map(({ key }) => key));
    const known = new Set(words.map((word) => word.toLowerCase()));
    const added = chips.filter(({ key }) => !known.has(key)).map(({ label }) => label);
    const removed = words.filter((word) => !wanted.has(word.toLowerCase()));
    if (added.length > 0) void save(() => call(addAlertWords, { alert_words: added }));
    if (removed.length > 0) void save(() => call(removeAlertWords, { alert_words: removed }));
  };
  return (
    <section class={styles.group} id={elementId("alert-words")}>
      <p class={styles.note}>{t("settings.alertWords.about")}</p>
      <ChipsField
        label={t("settings.alertWords")}
        hint={t("settings.alertWords.hint")}
        placeholder={t("settings.alertWords.placeholder")}
        chips={words.map(toChip)}
        saved={saved}
        error={error}
        read={read}
        onChange={change}
      />
    </section>
  );
}
