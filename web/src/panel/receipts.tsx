/** Who has read a message, as far as they share read receipts. */
import "../text/chunks/panel.ts";
import { getReadReceipts } from "@skein/api/routes/read-receipts.ts";
import { call } from "../api/call.ts";
import { Failure } from "../ui/failure.tsx";
import { peopleById } from "../store/people.ts";
import { language, t } from "../text/t.ts";
import { Rows } from "../ui/rows.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./lists.module.css";
import { PersonRow, personRowHeight } from "./person-row.tsx";
import { useFetched } from "../parts/use-fetched.ts";

export function Receipts({ messageId }: { messageId: number }) {
  const [fetched, retry] = useFetched(() => call(getReadReceipts, { message_id: messageId }), messageId);
  if (fetched.state === "loading") return <Skeleton rows={5} height={personRowHeight} hasAvatar />;
  if (fetched.state === "failed") return <Failure error={fetched.error} onRetry={retry} />;
  const names = peopleById.value;
  const collator = new Intl.Collator(language());
  const ids = fetched.value.user_ids.toSorted((a, b) =>
    collator.compare(names.get(a)?.full_name ?? "", names.get(b)?.full_name ?? ""),
  );
  return (
    <>
      <p class={styles.summary}>{ids.length === 0 ? t("receipts.none") : t("receipts.count", { count: ids.length })}</p>
      <Rows
        class={styles.rows}
        label={t("message.receipts")}
        items={ids}
        height={personRowHeight}
        keyOf={(id) => id}
        render={(userId) => <PersonRow userId={userId} />}
      />
    </>
  );
}
