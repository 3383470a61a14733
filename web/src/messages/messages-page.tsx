/** Messages of several conversations: mentions, starred, everything, what a search found. Read here, answered there. */
import { useMemo } from "preact/hooks";
import { PageHeader } from "../app/page-header.tsx";
import { MessageList, type Opening } from "../conversation/message-list.tsx";
import { go } from "../app/router.ts";
import { canWiden, widened } from "../search/filters.ts";
import { SearchLine } from "../search/search-line.tsx";
import { openList } from "../store/lists.ts";
import { narrowKey, operandOf, type Narrow } from "../store/narrow.ts";
import { markRead } from "../store/reading.ts";
import { part } from "../store/state.ts";
import { t, type TextKey } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import styles from "./messages-page.module.css";

interface MessagesPageProps {
  narrow: Narrow;
  near?: number;
}

const named: Record<string, { title: TextKey; empty: TextKey }> = {
  starred: { title: "messages.starred", empty: "messages.noStarred" },
  mentioned: { title: "messages.mentions", empty: "messages.noMentions" },
};

const isNamed = (narrow: Narrow): boolean => {
  const is = operandOf(narrow, "is");
  return narrow.length === 1 && typeof is === "string" && is in named;
};

function describe(narrow: Narrow): { title: string; empty: string } {
  if (narrow.length === 0) return { title: t("messages.all"), empty: t("messages.none") };
  const is = operandOf(narrow, "is");
  const known = narrow.length === 1 && typeof is === "string" ? named[is] : undefined;
  if (known) return { title: t(known.title), empty: t(known.empty) };
  const words = operandOf(narrow, "search");
  if (typeof words === "string")
    return { title: t("messages.search", { words }), empty: t("messages.notFound", { words }) };
  return { title: t("messages.found"), empty: t("messages.none") };
}

export default function MessagesPage({ narrow, near }: MessagesPageProps) {
  const key = narrowKey(narrow);
  const list = useMemo(() => openList(narrow), [key]);
  const isAll = narrow.length === 0;
  const opening = useMemo((): Opening => {
    if (near !== undefined) return { at: "message", id: near };
    return isAll ? { at: "first unread" } : { at: "newest" };
  }, [key, near]);
  const { title, empty } = describe(narrow);
  const marksRead = isAll && part("user_settings").value?.web_mark_read_on_scroll_policy === 1;
  const isSearch = !isAll && !isNamed(narrow);
  return (
    <div class={styles["page"]}>
      <PageHeader title={<h1>{isSearch ? t("app.search") : title}</h1>}>
        {isSearch && <SearchLine narrow={narrow} list={list} />}
      </PageHeader>
      <MessageList
        key={key}
        list={list}
        label={title}
        opening={opening}
        echoes={none}
        isMixed
        onSeen={marksRead ? markRead : undefined}
        empty={
          <>
            <p>{empty}</p>
            {isSearch && canWiden(narrow) && (
              <Button
                icon="globe"
                class={styles["widen"]}
                onClick={() => go({ kind: "messages", narrow: widened(narrow) })}
              >
                {t("search.widen")}
              </Button>
            )}
          </>
        }
      />
    </div>
  );
}

const none: never[] = [];
