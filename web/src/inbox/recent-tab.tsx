/** Conversations by their latest message. More load only on scrolling. */
import "../text/chunks/inbox.ts";
import { useEffect, useRef } from "preact/hooks";
import { Empty } from "../ui/empty.tsx";
import { Failure } from "../ui/failure.tsx";
import { t } from "../text/t.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { ConversationRow } from "../parts/conversation-row.tsx";
import styles from "./inbox.module.css";
import { hasMoreRecent, loadRecent, recentFailure, useRecent } from "./recent.ts";

export default function RecentTab() {
  const recent = useRecent();
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!end.current) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void loadRecent());
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [recent?.length, hasMoreRecent.value]);
  if (recentFailure.value !== undefined)
    return <Failure error={recentFailure.value} onRetry={() => void loadRecent()} />;
  if (!recent) return <Skeleton rows={8} height={56} hasAvatar />;
  return (
    <>
      <ul class={styles.rows}>
        {recent.map(({ key, conversation, lastId, senderIds }) => (
          <ConversationRow key={key} conversation={conversation} lastId={lastId} senderIds={senderIds} showsChannel />
        ))}
      </ul>
      {recent.length === 0 && <Empty icon="message-circle" title={t("inbox.noRecent")} />}
      {hasMoreRecent.value && (
        <div ref={end} class={styles.more}>
          {t("ui.loading")}
        </div>
      )}
    </>
  );
}
