/** Imports of another chat's history: uploaded, inspected, planned, run and reported here, and followed by events. */
import "../../text/chunks/organization.ts";
import "../../text/chunks/imports.ts";
import type { RealmImport } from "@skein/api/imports.ts";
import { cancelImport } from "@skein/api/routes/imports.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { fetchImports, followImports, imports, isUnderWay, stopUpload } from "../../store/imports.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import lists from "../lists.module.css";
import { Found } from "./found.tsx";
import { History } from "./history.tsx";
import { Plan } from "./plan.tsx";
import { Inspecting, Running } from "./progress.tsx";
import { RunButton } from "./run-button.tsx";
import { NewImport, Upload } from "./upload.tsx";
import styles from "./imports.module.css";

export default function Imports() {
  const [failure, setFailure] = useState<unknown>();
  const load = (): void => {
    setFailure(undefined);
    fetchImports().catch(setFailure);
  };
  useEffect(() => {
    const stop = followImports(setFailure);
    load();
    return stop;
  }, []);
  if (failure !== undefined) return <Failure error={failure} onRetry={load} />;
  if (!imports.value) return <Skeleton rows={4} height={56} />;
  const { list, maxBytes, daysKept } = imports.value;
  const current = list.find(isUnderWay);
  const earlier = list.filter((one) => one !== current);
  return (
    <>
      {current ? <Current key={current.id} one={current} /> : <NewImport maxBytes={maxBytes} />}
      {earlier.length === 0 && !current && <p class={lists.note}>{t("imports.none")}</p>}
      {earlier.length > 0 && <History list={earlier} daysKept={daysKept} />}
    </>
  );
}

function Current({ one }: { one: RealmImport }) {
  const [isAsked, setAsked] = useState(false);
  return (
    <section class={styles.current}>
      <State one={one} />
      {one.state !== "running" && (
        <div class={styles.buttons}>
          {(one.state === "ready" || one.state === "failed") && <RunButton one={one} />}
          <Button kind="quiet" onClick={() => setAsked(true)}>
            {t("imports.cancel")}
          </Button>
        </div>
      )}
      {isAsked && (
        <DangerDialog
          title={t("imports.cancel.title", { name: one.file_name })}
          action={t("imports.cancel")}
          run={async () => {
            stopUpload();
            await call(cancelImport, { import_id: one.id });
          }}
          onClose={() => setAsked(false)}
        >
          <p>{t(one.state === "failed" ? "imports.cancel.failed" : "imports.cancel.text")}</p>
        </DangerDialog>
      )}
    </section>
  );
}

function State({ one }: { one: RealmImport }) {
  switch (one.state) {
    case "uploading":
      return <Upload one={one} />;
    case "inspecting":
      return <Inspecting one={one} />;
    case "running":
      return <Running one={one} />;
    default:
      return (
        <>
          {one.state === "failed" && (
            <div class={styles.failed} role="alert">
              <p>{t("imports.failed", { reason: one.reason ?? "" })}</p>
              <p>{t("imports.failed.hint")}</p>
            </div>
          )}
          {one.inspection && <Found found={one.inspection} />}
          <Plan one={one} />
        </>
      );
  }
}
