/** Starts an import, after saying what will happen. */
import "../../text/chunks/imports.ts";
import type { RealmImport } from "@skein/api/imports.ts";
import { runImport } from "@skein/api/routes/imports.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { plannedChannels, plannedPeople } from "../../store/imports.ts";
import { part } from "../../store/state.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";

export function RunButton({ one }: { one: RealmImport }) {
  const [isAsked, setAsked] = useState(false);
  const [fetchesFiles, setFetchesFiles] = useState(false);
  const fetchable = one.inspection?.files.fetchable ?? 0;
  const ask = (): void => {
    setFetchesFiles(false);
    setAsked(true);
  };
  const organization = part("realm_name").value ?? "";
  const people = { existing: 0, new: 0, inactive: 0 };
  for (const { account } of plannedPeople.value) people[account]++;
  const channels = { new: 0, merge: 0, skip: 0 };
  for (const { action } of plannedChannels.value) channels[action]++;
  return (
    <>
      <Button kind="primary" onClick={ask}>
        {t(one.state === "failed" ? "imports.continue" : "imports.run")}
      </Button>
      {isAsked && (
        <DangerDialog
          title={t("imports.run.title", { organization })}
          action={t("imports.run.action")}
          name={organization}
          run={() => call(runImport, { import_id: one.id, fetch_files: fetchesFiles && fetchable > 0 })}
          onClose={() => setAsked(false)}
        >
          <p>{t("imports.run.text", { messages: one.inspection?.messages.total ?? 0, organization })}</p>
          <p>{t("imports.run.people", people)}</p>
          <p>{t("imports.run.channels", channels)}</p>
          <p>{t("imports.run.nobody")}</p>
          {fetchable > 0 && (
            <CheckField
              label={t("imports.run.fetch")}
              hint={t("imports.run.fetch.hint", { count: fetchable })}
              checked={fetchesFiles}
              onChange={setFetchesFiles}
            />
          )}
        </DangerDialog>
      )}
    </>
  );
}
