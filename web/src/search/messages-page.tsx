/** Messages from several conversations: mentions, starred, all messages, search results. Replies are written in their conversations. */
import "../text/chunks/search.ts";
import { useMemo } from "preact/hooks";
import { Empty } from "../ui/empty.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { MessageList } from "../conversation/message-list.tsx";
import type { Opening } from "../conversation/opening.ts";
import { go } from "../navigation/router.ts";
import { canWiden, widened } from "./filters.ts";
import { SearchLine } from "./search-line.tsx";
import { openList } from "../store/lists.ts";
import { narrowKey, operandOf, type Narrow } from "../store/narrow.ts";
import { markRead } from "../store/reading.ts";
import { part } from "../store/state.ts";
import { t, type TextKey } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";

interface MessagesPageProps {
  narrow: Narrow;
  near?: number;
}

const named: Record<string, { title: TextKey; icon: IconName; empty: TextKey; hint: TextKey }> = {
  starred: {
    title: "messages.starred",
    icon: "star",
    empty: "messages.noStarred",
    hint: "messages.noStarredHint",
  },
  mentioned: {
    title: "messages.mentions",
    icon: "at-sign",
    empty: "messages.noMentions",
    hint: "messages.noMentionsHint",
  },
};

const isNamed = (narrow: Narrow): boolean => {
  const is = operandOf(narrow, "is");
  return narrow.length === 1 && typeof is === "string" && is in named;
};

interface Description {
  title: string;
  icon: IconName;
  empty: string;
  hint: string;
}

function describe(narrow: Narrow): Description {
  const nothing = { icon: "message-circle", empty: t("messages.none"), hint: "" } as const;
  if (narrow.length === 0) return { ...nothing, title: t("messages.all") };
  const is = operandOf(narrow, "is");
  const known = narrow.length === 1 && typeof is === "string" ? named[is] : undefined;
  if (known) return { title: t(known.title), icon: known.icon, empty: t(known.empty), hint: t(known.hint) };
  const words = operandOf(narrow, "search");
  if (typeof words !== "string") return { ...nothing, icon: "search", title: t("messages.found") };
  return {
    title: t("messages.search", { words }),
    icon: "search",
    empty: t("messages.notFound", { words }),
    hint: t("messages.notFoundHint"),
  };
}

export default function MessagesPage({ narrow, near }: MessagesPageProps) {
  const key = narrowKey(narrow);
  const list = useMemo(() => openList(narrow), [key]);
  const isAll = narrow.length === 0;
  const opening = useMemo((): Opening => {
    if (near !== undefined) return { at: "message", id: near };
    return isAll ? { at: "first unread" } : { at: "newest" };
  }, [key, near]);
  const { title, icon, empty, hint } = describe(narrow);
  const marksRead = isAll && part("user_settings").value?.web_mark_read_on_scroll_policy === 1;
  const isSearch = !isAll && !isNamed(narrow);
  return (
    <div class={page.page}>
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
        showsDates={!isAll}
        onSeen={marksRead ? markRead : undefined}
        empty={
          <Empty icon={icon} title={empty}>
            {hint !== "" && <p>{hint}</p>}
            {isSearch && canWiden(narrow) && (
              <Button icon="globe" onClick={() => go({ kind: "messages", narrow: widened(narrow) })}>
                {t("search.widen")}
              </Button>
            )}
          </Empty>
        }
      />
    </div>
  );
}

const none: never[] = [];
