/** Data exports: started here, followed by events, downloaded and deleted. */
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { RealmExport } from "@skein/api/exports.ts";
import { createExport, removeExport } from "@skein/api/routes/exports.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { useAction } from "../controls/use-action.ts";
import { elementId } from "../descriptors/setting.ts";
import { dataExports, exportConsents, fetchExports, followExports } from "../store/exports.ts";
import { findPerson } from "../store/people.ts";
import { shortTime } from "../text/time.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { RadioField } from "../ui/choices.tsx";
import { Failure } from "../ui/failure.tsx";
import { FieldError } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./exports.module.css";
import lists from "./lists.module.css";

const kinds = { public: "public", withConsent: "full_with_consent" } as const;

export default function DataExports() {
  const [failure, setFailure] = useState<unknown>();
  const [removed, setRemoved] = useState<RealmExport>();
  const load = (): void => {
    setFailure(undefined);
    fetchExports().catch(setFailure);
  };
  useEffect(() => {
    const stop = followExports();
    load();
    return stop;
  }, []);
  if (failure !== undefined) return <Failure error={failure} onRetry={load} />;
  if (!dataExports.value) return <Skeleton rows={4} height={56} />;
  const exports = dataExports.value.toReversed();
  return (
    <>
      <NewExport isRunning={exports.some(({ pending }) => pending)} />
      {exports.length === 0 ? (
        <p class={lists.note}>{t("organization.exports.none")}</p>
      ) : (
        <ItemList
          label={t("organization.exports")}
          items={exports}
          keyOf={({ id }) => id}
          nameOf={({ export_time }) => shortTime(export_time)}
          render={(one) => <Row dataExport={one} />}
          actions={(one) =>
            one.export_url !== null && (
              <>
                <a class={styles.download} href={new URL(one.export_url, location.href).pathname}>
                  <Icon name="download" /> {t("organization.exports.download")}
                </a>
                <IconButton
                  icon="trash-2"
                  label={t("organization.exports.delete", { time: shortTime(one.export_time) })}
                  onClick={() => setRemoved(one)}
                />
              </>
            )
          }
        />
      )}
      {removed && (
        <DangerDialog
          title={t("organization.exports.delete", { time: shortTime(removed.export_time) })}
          action={t("organization.exports.delete.action")}
          run={() => call(removeExport, { export_id: removed.id })}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t("organization.exports.delete.text")}</p>
        </DangerDialog>
      )}
    </>
  );
}

function NewExport({ isRunning }: { isRunning: boolean }) {
  const [kind, setKind] = useState<keyof typeof kinds>("public");
  const { isBusy, error, run } = useAction();
  const consents = [...(exportConsents.value?.values() ?? [])];
  const consented = consents.filter(Boolean).length;
  return (
    <section id={elementId("start-export")} class={lists.group}>
      <RadioField
        label={t("organization.exports.kind")}
        value={kind}
        options={[
          {
            value: "public",
            label: t("organization.exports.public"),
            hint: t("organization.exports.public.hint"),
          },
          {
            value: "withConsent",
            label: t("organization.exports.withConsent"),
            hint: t("organization.exports.withConsent.hint", { consented, count: consents.length }),
          },
        ]}
        onChange={(chosen) => setKind(chosen as keyof typeof kinds)} // one of the options
      />
      <Button
        kind="primary"
        busy={isBusy}
        aria-disabled={isRunning}
        onClick={() => {
          if (!isRunning) void run(() => call(createExport, { export_type: kinds[kind] }));
        }}
      >
        {t("organization.exports.start")}
      </Button>
      <p class={styles.limit}>{t(isRunning ? "organization.exports.oneAtATime" : "organization.exports.limit")}</p>
      <FieldError id="export-error" error={error} />
    </section>
  );
}

function Row({ dataExport }: { dataExport: RealmExport }) {
  const { export_type, export_time, acting_user_id } = dataExport;
  return (
    <>
      <div class={lists.name}>
        {t(export_type === kinds.public ? "organization.exports.public" : "organization.exports.withConsent")}
      </div>
      <div class={lists.detail}>
        {t("organization.exports.by", { name: findPerson(acting_user_id).full_name, time: shortTime(export_time) })}
      </div>
      <State dataExport={dataExport} />
    </>
  );
}

function State({ dataExport: { pending, failed_timestamp, deleted_timestamp } }: { dataExport: RealmExport }) {
  if (pending)
    return (
      <div class={styles.state} role="status">
        <Icon name="clock" size={14} /> {t("organization.exports.pending")}
      </div>
    );
  if (failed_timestamp !== null)
    return (
      <div class={styles.failed}>
        <Icon name="circle-alert" size={14} /> {t("organization.exports.failed", { time: shortTime(failed_timestamp) })}
      </div>
    );
  if (deleted_timestamp !== null)
    return <div class={styles.state}>{t("organization.exports.deleted", { time: shortTime(deleted_timestamp) })}</div>;
  return (
    <div class={styles.done} role="status">
      <Icon name="circle-check" size={14} /> {t("organization.exports.done")}
    </div>
  );
}
