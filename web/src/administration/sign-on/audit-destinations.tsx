/** Where the audit log is delivered to: webhooks and syslog servers, with what each has received. */
import "../../text/chunks/fields.ts";
import "../../text/chunks/organization.ts";
import "../../text/chunks/sign-on.ts";
import type { AuditDestination } from "@skein/api/audit-destinations.ts";
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestinations,
  updateAuditDestination,
} from "@skein/api/routes/audit-destinations.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { RevokedList } from "../../controls/revoked-list.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useSaving } from "../../controls/use-saving.ts";
import { elementId } from "../../descriptors/setting.ts";
import { useReloaded } from "../../parts/use-reloaded.ts";
import { t } from "../../text/t.ts";
import { shortTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FieldError, SelectField, TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ShownOnce } from "./shown-once.tsx";
import styles from "./sign-on.module.css";
import lists from "../lists.module.css";

/** There are no events of deliveries. */
const refreshMilliseconds = 5000;

const load = async (): Promise<readonly AuditDestination[]> => (await call(getAuditDestinations, {})).destinations;

export default function AuditDestinations() {
  const destinations = useReloaded(load, undefined);
  const [isAdding, setAdding] = useState(false);
  const { reload, failure } = destinations;
  useEffect(() => {
    if (failure !== undefined) return undefined;
    const timer = setInterval(() => void reload(), refreshMilliseconds);
    return () => clearInterval(timer);
  }, [failure === undefined]);
  return (
    <section id={elementId("add-audit-destination")}>
      <p class={lists.note}>{t("delivery.about")}</p>
      <div class={lists.add}>
        <Button kind="primary" icon="plus" onClick={() => setAdding(true)}>
          {t("organization.auditDelivery.add")}
        </Button>
      </div>
      <RevokedList
        label={t("delivery.destinations")}
        items={destinations}
        none={t("delivery.none")}
        render={(destination) => <Row destination={destination} reload={reload} />}
        actions={(destination, ask) => (
          <Button kind="quiet" aria-label={t("delivery.deleteOne", { url: destination.url })} onClick={ask}>
            {t("delivery.delete")}
          </Button>
        )}
        question={({ url }) => ({
          title: t("delivery.deleteQuestion", { url }),
          text: t("delivery.deleteText"),
          action: t("delivery.delete"),
        })}
        revoke={(id) => call(deleteAuditDestination, { destination_id: id })}
      />
      {isAdding && (
        <AddDialog
          onClose={() => {
            setAdding(false);
            void reload();
          }}
        />
      )}
    </section>
  );
}

function Row({ destination, reload }: { destination: AuditDestination; reload: () => Promise<void> }) {
  const { id, kind, url, is_enabled } = destination;
  const { saved, error, save } = useSaving();
  return (
    <>
      <div class={lists.name}>{url}</div>
      <div class={lists.detail}>{t(`delivery.kind.${kind}`)}</div>
      <State destination={destination} />
      <div class={styles.switch}>
        <CheckField
          label={t("delivery.enabled")}
          checked={is_enabled}
          saved={saved}
          error={error}
          onChange={(wanted) =>
            void save(async () => {
              await call(updateAuditDestination, { destination_id: id, is_enabled: wanted });
              await reload();
            })
          }
        />
      </div>
    </>
  );
}

function State({ destination }: { destination: AuditDestination }) {
  const { delivered_id, newest_id, delivered_at, failed_at, error, next_try_at, is_enabled } = destination;
  const waiting = newest_id - delivered_id;
  if (failed_at !== null && is_enabled)
    return (
      <div class={styles.failed}>
        <Icon name="circle-alert" size={14} />
        <span>
          {t("delivery.failed", { time: shortTime(failed_at), reason: error ?? "", count: waiting })}{" "}
          {next_try_at !== null && t("delivery.nextTry", { time: shortTime(next_try_at) })}
        </span>
      </div>
    );
  if (waiting > 0) return <div class={styles.state}>{t("delivery.waiting", { count: waiting })}</div>;
  return (
    <div class={styles.done}>
      <Icon name="circle-check" size={14} />
      {delivered_at === null
        ? t("delivery.nothingYet")
        : t("delivery.delivered", { id: String(delivered_id), time: shortTime(delivered_at) })}
    </div>
  );
}

function AddDialog({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState("");
  const [start, setStart] = useState<"now" | "all">("now");
  const [secret, setSecret] = useState<string>();
  const { isBusy, error, run } = useAction();
  if (secret !== undefined)
    return <ShownOnce label={t("delivery.secret")} hint={t("delivery.secret.hint")} value={secret} onClose={onClose} />;
  const add = async (): Promise<void> => {
    const made = await call(createAuditDestination, { url: url.trim(), ...(start === "all" ? { after: 0 } : {}) });
    if (made.secret === null) onClose();
    else setSecret(made.secret);
  };
  return (
    <Dialog
      title={t("organization.auditDelivery.add")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void run(add)}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("delivery.add")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("delivery.url")}
        hint={t("delivery.url.hint")}
        required
        autofocus
        maxLength={2000}
        spellcheck={false}
        placeholder="https://"
        value={url}
        onInput={(event) => setUrl(event.currentTarget.value)}
      />
      <SelectField
        label={t("delivery.start")}
        value={start}
        options={[
          { value: "now", label: t("delivery.start.now") },
          { value: "all", label: t("delivery.start.all") },
        ]}
        onChange={(event) => setStart(event.currentTarget.value === "all" ? "all" : "now")}
      />
      <FieldError id="add-destination-error" error={error} />
    </Dialog>
  );
}
