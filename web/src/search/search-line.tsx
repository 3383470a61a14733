/** Above search results: the query, the number of results, and a button to edit the search. */
import "../text/chunks/search.ts";
import { openDialog } from "../navigation/dialogs.ts";
import type { MessageList } from "../store/lists.ts";
import type { Narrow } from "../store/narrow.ts";
import { formatNumber, t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { describeTerm } from "./filters.ts";
import styles from "./search.module.css";

export function SearchLine({ narrow, list }: { narrow: Narrow; list: MessageList }) {
  return (
    <div class={styles.line}>
      <ul class={styles.chips} aria-label={t("search.filters")}>
        {narrow.map((term) => (
          <li key={describeTerm(term)} class={classes(styles.chip, styles.plain)}>
            {term.operator === "search" ? `“${String(term.operand)}”` : describeTerm(term)}
          </li>
        ))}
      </ul>
      <Button kind="quiet" icon="list-filter" onClick={() => openDialog("search")}>
        {t("search.change")}
      </Button>
      <span class={styles.count} role="status">
        {countOf(list)}
      </span>
    </div>
  );
}

function countOf({ runs }: MessageList): string {
  const count = runs.value.reduce((sum, { ids }) => sum + ids.length, 0);
  const isAll = runs.value.length === 1 && runs.value[0]?.hasOldest === true && runs.value[0].hasNewest;
  if (count === 0) return "";
  return isAll ? t("search.count", { count }) : t("search.countOrMore", { count: formatNumber(count) });
}
