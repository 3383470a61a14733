/** What an export contains. */
import "../../text/chunks/imports.ts";
import type { RealmImport } from "@skein/api/imports.ts";
import { fileSize } from "../../text/sizes.ts";
import { formatNumber, t } from "../../text/t.ts";
import { reasonText, sourceText } from "./texts.ts";
import styles from "./imports.module.css";

export function Found({ found }: { found: NonNullable<RealmImport["inspection"]> }) {
  const { people, channels, messages, files } = found;
  const source = sourceText(found.source);
  const rows: [string, string][] = [
    [t("imports.found.source"), found.organization === undefined ? source : `${source}: ${found.organization}`],
    [
      t("imports.found.people"),
      t("imports.found.people.value", {
        total: people.total,
        inactive: people.inactive,
        bots: people.bots,
        only: people.only_in_messages,
      }),
    ],
    [t("imports.found.channels"), t("imports.found.channels.value", channels)],
    [t("imports.found.directs"), formatNumber(found.direct_conversations)],
    [
      t("imports.found.messages"),
      t("imports.found.messages.value", { total: messages.total, replies: messages.replies, direct: messages.direct }),
    ],
    [t("imports.found.time"), [found.first_message, found.last_message].map(dayText).join(" – ")],
    [t("imports.found.threads"), formatNumber(found.threads)],
    [t("imports.found.reactions"), formatNumber(found.reactions)],
    [t("imports.found.emoji"), formatNumber(found.emoji)],
    [
      t("imports.found.files"),
      t("imports.found.files.value", {
        count: files.in_archive,
        size: fileSize(files.bytes),
        missing: files.missing,
      }),
    ],
  ];
  const skipped = Object.entries(found.skipped);
  return (
    <section>
      <h3 class={styles.heading}>{t("imports.found")}</h3>
      <dl class={styles.facts}>
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {skipped.length > 0 && (
        <>
          <h4 class={styles.small}>{t("imports.found.skipped")}</h4>
          <ul class={styles.items}>
            {skipped.map(([reason, count]) => (
              <li key={reason}>
                {reasonText(reason)}: {formatNumber(count)}
              </li>
            ))}
          </ul>
        </>
      )}
      {found.sample_topics.length > 0 && (
        <>
          <h4 class={styles.small}>{t("imports.found.topics")}</h4>
          <ul class={styles.items}>
            {found.sample_topics.map((topic, index) => (
              <li key={index}>{topic}</li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const dayText = (time: string | null): string => (time === null ? "" : time.slice(0, 10));
