/** Imports that have ended, with their reports. */
import "../../text/chunks/imports.ts";
import type { ImportReport, RealmImport } from "@skein/api/imports.ts";
import { getImportReport } from "@skein/api/routes/imports.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { useAction } from "../../controls/use-action.ts";
import { findPerson } from "../../store/people.ts";
import { shortTime } from "../../text/time.ts";
import { formatNumber, t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { download } from "../../ui/download.ts";
import { FieldError } from "../../ui/field.tsx";
import lists from "../lists.module.css";
import { kindText, reasonText } from "./texts.ts";
import styles from "./imports.module.css";

export function History({ list, daysKept }: { list: readonly RealmImport[]; daysKept: number }) {
  // The report of the newest one is what its owner comes for.
  const [shown, setShown] = useState<number | undefined>(list[0]?.id);
  return (
    <section>
      <h3 class={styles.heading}>{t("imports.history")}</h3>
      <ul class={styles.history}>
        {list.map((one) => (
          <li key={one.id}>
            <div class={lists.name}>{one.file_name}</div>
            <div class={lists.detail}>
              {t("imports.by", {
                name: findPerson(one.acting_user_id).full_name,
                time: shortTime(one.finished_timestamp ?? one.created_timestamp),
              })}
            </div>
            <p class={styles.state} data-state={one.state}>
              {stateText(one, daysKept)}
            </p>
            {one.report && (
              <Button
                kind="quiet"
                aria-expanded={shown === one.id}
                onClick={() => setShown(shown === one.id ? undefined : one.id)}
              >
                {t(shown === one.id ? "imports.report.hide" : "imports.report.show")}
              </Button>
            )}
            {one.report && shown === one.id && <Report one={one} report={one.report} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function stateText({ state, reason }: RealmImport, days: number): string {
  if (state === "refused") return t("imports.state.refused", { reason: reason ?? "" });
  if (state === "canceled") return t("imports.state.canceled");
  if (state === "expired") return t("imports.state.expired", { days });
  return t("imports.state.finished");
}

function Report({ one, report }: { one: RealmImport; report: ImportReport }) {
  const { isBusy, error, run } = useAction();
  const skipped = Object.entries(report.skipped);
  const name = `import-${one.id}-report`;
  return (
    <div class={styles.report}>
      <table>
        <caption>{t("imports.report.imported")}</caption>
        <thead>
          <tr>
            <th scope="col">{t("imports.report.kind")}</th>
            <th scope="col">{t("imports.report.number")}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(report.imported).map(([kind, count]) => (
            <tr key={kind}>
              <th scope="row">{kindText(kind)}</th>
              <td class={styles.number}>{formatNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {skipped.length === 0 ? (
        <p class={lists.note}>{t("imports.report.nothing")}</p>
      ) : (
        <table>
          <caption>{t("imports.report.skipped")}</caption>
          <thead>
            <tr>
              <th scope="col">{t("imports.report.reason")}</th>
              <th scope="col">{t("imports.report.number")}</th>
              <th scope="col">{t("imports.report.examples")}</th>
            </tr>
          </thead>
          <tbody>
            {skipped.map(([reason, count]) => (
              <tr key={reason}>
                <th scope="row">{reasonText(reason)}</th>
                <td class={styles.number}>{formatNumber(count)}</td>
                <td class={styles.ids}>{report.examples[reason]?.join(", ")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {report.remarks.map((remark) => (
        <p key={remark} class={lists.note}>
          {remark}
        </p>
      ))}
      <div class={styles.buttons}>
        <Button icon="download" onClick={() => download(`${name}.json`, `${JSON.stringify(report, null, 2)}\n`)}>
          {t("imports.report.json")}
        </Button>
        <Button
          icon="download"
          busy={isBusy}
          onClick={() =>
            void run(async () => {
              const { markdown } = await call(getImportReport, { import_id: one.id });
              download(`${name}.md`, markdown);
            })
          }
        >
          {t("imports.report.markdown")}
        </Button>
      </div>
      <FieldError id="import-report-error" error={error} />
    </div>
  );
}
