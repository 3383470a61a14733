/** Creates an API key, with what it may do and until when, and shows it once. */
import "../text/chunks/fields.ts";
import "../text/chunks/access.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { ApiKey } from "../controls/api-key.tsx";
import { useReloaded } from "../parts/use-reloaded.ts";
import { addKey, fetchScopes, maxKeyDays, offeredDays } from "../store/access.ts";
import { part } from "../store/state.ts";
import { period } from "../text/period.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, RadioField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Failure } from "../ui/failure.tsx";
import { FieldError, SelectField, TextField } from "../ui/field.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./settings.module.css";
import { useForm } from "./use-form.tsx";

const day = 86_400;
const usual = 90;
const never = "never";

/** The device's clock may be ahead of the server's, which refuses ends after the organization's limit. */
const endAfter = (days: number): number => Math.floor(Date.now() / 1000) + days * day - 60;

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<string>();
  if (made !== undefined)
    return (
      <Dialog
        title={t("access.created")}
        keepsOnOutsidePress
        onClose={onClose}
        actions={
          <Button kind="primary" onClick={onClose}>
            {t("access.done")}
          </Button>
        }
      >
        <NewKey value={made} />
      </Dialog>
    );
  return <Form onMade={setMade} onClose={onClose} />;
}

export const NewKey = ({ value }: { value: string }) => (
  <>
    <ApiKey email={part("delivery_email").value ?? ""} value={value} />
    <p class={styles.note}>{t("settings.keyOnce")}</p>
  </>
);

function Form({ onMade, onClose }: { onMade: (key: string) => void; onClose: () => void }) {
  const max = maxKeyDays();
  const days = offeredDays(max);
  const [name, setName] = useState("");
  const [isLimited, setLimited] = useState(true);
  const [scopes, setScopes] = useState<ReadonlySet<string>>(new Set());
  const [end, setEnd] = useState(String(days.findLast((each) => each <= usual) ?? days[0]));
  const chosen = isLimited ? [...scopes] : ["*"];
  const form = useForm(async () => {
    if (chosen.length === 0) return;
    onMade(
      await addKey({
        name: name.trim(),
        scopes: chosen,
        expiresAt: end === never ? undefined : endAfter(Number(end)),
      }),
    );
  });
  return (
    <Dialog
      title={t("settings.createKey")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={form.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={form.isBusy} aria-disabled={chosen.length === 0}>
            {t("settings.createKey.action")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("access.name")}
        hint={t("access.name.hint")}
        required
        autofocus
        maxLength={100}
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <SelectField
        label={t("access.end")}
        hint={max === undefined ? undefined : t("access.end.limit", { count: max })}
        value={end}
        options={[
          ...days.map((each) => ({
            value: String(each),
            label: t("access.end.after", { period: period(each * day) }),
          })),
          ...(max === undefined ? [{ value: never, label: t("access.end.never") }] : []),
        ]}
        onChange={(event) => setEnd(event.currentTarget.value)}
      />
      <RadioField
        label={t("access.permits")}
        value={isLimited ? "limited" : "all"}
        options={[
          { value: "limited", label: t("access.permits.limited"), hint: t("access.permits.limited.hint") },
          { value: "all", label: t("access.permits.all"), hint: t("access.permits.all.hint") },
        ]}
        onChange={(value) => setLimited(value === "limited")}
      />
      {isLimited && <Scopes chosen={scopes} onChange={setScopes} />}
      <FieldError id="create-key-error" error={form.error} />
    </Dialog>
  );
}

interface ScopesProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

function Scopes({ chosen, onChange }: ScopesProps) {
  const offered = useReloaded(fetchScopes, undefined);
  if (offered.failure !== undefined) return <Failure error={offered.failure} onRetry={() => void offered.reload()} />;
  if (!offered.value) return <Skeleton rows={6} height={44} />;
  return (
    <fieldset class={styles.fields}>
      <legend class="visually-hidden">{t("access.scopes")}</legend>
      {offered.value
        .filter(({ name }) => name !== "*")
        .map(({ name, description }) => (
          <CheckField
            key={name}
            label={name}
            hint={description}
            checked={chosen.has(name)}
            onChange={(isChosen) => {
              const next = new Set(chosen);
              if (isChosen) next.add(name);
              else next.delete(name);
              onChange(next);
            }}
          />
        ))}
    </fieldset>
  );
}
