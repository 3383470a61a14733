/** Details of a conversation or a channel: people, files, description. */
import "../text/chunks/panel.ts";
import type { DetailsTab } from "../navigation/panel.ts";
import type { Place } from "../navigation/place.ts";
import { openPanel } from "../navigation/router.ts";
import type { Conversation } from "../store/conversations.ts";
import { t } from "../text/t.ts";
import { tabPanel, Tabs } from "../ui/tabs.tsx";
import { About } from "./about.tsx";
import styles from "./details.module.css";
import { Files } from "./files.tsx";
import { People } from "./people.tsx";

/** What the details are about. */
export type Subject = Conversation | { kind: "channel"; channelId: number };

const subjectOf = (place: Place): Subject | undefined =>
  place.kind === "conversation" ? place.conversation : place.kind === "channel" ? place : undefined;

const tabs: readonly DetailsTab[] = ["people", "files", "about"];

export function Details({ place, tab }: { place: Place; tab: DetailsTab }) {
  const subject = subjectOf(place);
  if (!subject) return <p class={styles.none}>{t("details.none")}</p>;
  return (
    <>
      <Tabs
        id="details-tabs"
        class={styles.tabs}
        label={t("panel.details")}
        selected={tab}
        tabs={tabs.map((id) => ({ id, label: t(`details.${id}`) }))}
        onSelect={(id) => openPanel({ kind: "details", tab: id as DetailsTab })} // one of those above
      />
      <div class={styles.panel} {...tabPanel("details-tabs", tab)}>
        {tab === "people" && <People subject={subject} />}
        {tab === "files" && <Files subject={subject} />}
        {tab === "about" && <About subject={subject} />}
      </div>
    </>
  );
}
