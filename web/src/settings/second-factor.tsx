/** The authenticator app: setting it up, its recovery codes, and turning it off. */
import "../text/chunks/fields.ts";
import "../text/chunks/settings.ts";
import { useEffect, useState } from "preact/hooks";
import { reasonOf } from "../store/reasons.ts";
import {
  confirmApp,
  readSecondFactors,
  removeApp,
  renewRecoveryCodes,
  startApp,
  type SecondFactors,
} from "../store/second-factors.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { download } from "../ui/download.ts";
import { FieldError, PasswordField, TextField } from "../ui/field.tsx";
import key from "../controls/api-key.module.css";
import styles from "./settings.module.css";
import { useForm } from "./use-form.tsx";

export function SecondFactorSection() {
  const [factors, setFactors] = useState<SecondFactors>();
  const [error, setError] = useState<string>();
  const [asks, setAsks] = useState<"set up" | "renew" | "remove">();
  const [codes, setCodes] = useState<readonly string[]>();
  const load = (): void => void readSecondFactors().then(setFactors, (failure) => setError(reasonOf(failure)));
  useEffect(load, []);
  const done = (shown?: readonly string[]): void => {
    setCodes(shown);
    setAsks(undefined);
    load();
  };
  const close = (): void => setAsks(undefined);
  const isOn = factors !== undefined && factors.totp !== null;
  return (
    <section class={styles.group} id="second-factor">
      <h3>{t("settings.secondFactor")}</h3>
      <p class={styles.note}>
        {isOn ? t("settings.secondFactor.on", { count: factors.recovery_codes_left }) : t("settings.secondFactor.off")}
      </p>
      <FieldError id="second-factor-error" error={error} />
      {codes && <RecoveryCodes codes={codes} />}
      {factors && (
        <div class={styles.buttons}>
          {isOn ? (
            <>
              <Button onClick={() => setAsks("renew")}>{t("settings.recoveryCodes.renew")}</Button>
              <Button kind="quiet" onClick={() => setAsks("remove")}>
                {t("settings.secondFactor.remove")}
              </Button>
            </>
          ) : (
            <Button onClick={() => setAsks("set up")}>{t("settings.secondFactor.setUp")}</Button>
          )}
        </div>
      )}
      {asks === "set up" && <SetUpDialog onDone={done} onClose={close} />}
      {asks === "renew" && (
        <CodeDialog
          title={t("settings.recoveryCodes.renew")}
          action={t("settings.recoveryCodes.renew.action")}
          effect={t("settings.recoveryCodes.renew.effect")}
          run={async (code) => done(await renewRecoveryCodes(code))}
          onClose={close}
        />
      )}
      {asks === "remove" && (
        <CodeDialog
          title={t("settings.secondFactor.remove")}
          action={t("settings.secondFactor.remove.action")}
          effect={t("settings.secondFactor.remove.effect")}
          isDangerous
          run={async (code) => {
            await removeApp(code);
            done();
          }}
          onClose={close}
        />
      )}
    </section>
  );
}

interface CodeFieldProps {
  value: string;
  error: string | undefined;
  onChange: (code: string) => void;
}

export const CodeField = ({ value, error, onChange }: CodeFieldProps) => (
  <TextField
    label={t("settings.code")}
    hint={t("settings.code.hint")}
    required
    autofocus
    autocomplete="one-time-code"
    value={value}
    error={error}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = codes.join("\n");
  return (
    <>
      <p class={styles.note}>{t("settings.recoveryCodes.once")}</p>
      <div class={key.key}>
        <output class={key.text} aria-label={t("settings.recoveryCodes")}>
          {codes.join(" ")}
        </output>
        <Button
          icon="copy"
          onClick={() => void navigator.clipboard.writeText(text).then(() => toast(t("settings.recoveryCodes.copied")))}
        >
          {t("settings.recoveryCodes.copy")}
        </Button>
        <Button icon="download" onClick={() => download("recovery-codes.txt", `${text}\n`)}>
          {t("settings.recoveryCodes.download")}
        </Button>
      </div>
    </>
  );
}

interface SetUpProps {
  onDone: (codes: readonly string[]) => void;
  onClose: () => void;
}

/** Asks for the password, then shows the secret and asks for a first code. */
function SetUpDialog({ onDone, onClose }: SetUpProps) {
  const [password, setPassword] = useState("");
  const [started, setStarted] = useState<Awaited<ReturnType<typeof startApp>>>();
  const [code, setCode] = useState("");
  const form = useForm(async () => {
    if (started) onDone(await confirmApp(code));
    else setStarted(await startApp(password));
  });
  return (
    <Dialog
      title={t("settings.secondFactor.setUp")}
      width="narrow"
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={form.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={form.isBusy}>
            {t(started ? "settings.secondFactor.turnOn" : "settings.secondFactor.continue")}
          </Button>
        </>
      }
    >
      {started ? (
        <>
          <p>{t("settings.secondFactor.add")}</p>
          <p>
            <a href={started.otpauth_url}>{t("settings.secondFactor.link")}</a>
          </p>
          <div class={key.key}>
            <output class={key.text} aria-label={t("settings.secondFactor.key")}>
              {started.secret}
            </output>
          </div>
          <CodeField value={code} error={form.error} onChange={setCode} />
        </>
      ) : (
        <PasswordField
          label={t("settings.yourPassword")}
          required
          autofocus
          autocomplete="current-password"
          value={password}
          error={form.error}
          onInput={(event) => setPassword(event.currentTarget.value)}
        />
      )}
    </Dialog>
  );
}

interface CodeDialogProps {
  title: string;
  action: string;
  effect: string;
  isDangerous?: boolean;
  run: (code: string) => Promise<void>;
  onClose: () => void;
}

function CodeDialog({ title, action, effect, isDangerous = false, run, onClose }: CodeDialogProps) {
  const [code, setCode] = useState("");
  const form = useForm(() => run(code));
  return (
    <Dialog
      title={title}
      width="narrow"
      onClose={onClose}
      onSubmit={form.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind={isDangerous ? "danger" : "primary"} type="submit" busy={form.isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <p>{effect}</p>
      <CodeField value={code} error={form.error} onChange={setCode} />
    </Dialog>
  );
}
