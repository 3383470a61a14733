/** The second factors: setting up an authenticator app and passkeys, recovery codes, and removing them. */
import "../text/chunks/fields.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { knowsPasskeys } from "../api/passkey.ts";
import type { Proof } from "../api/proof.ts";
import { useReloaded } from "../parts/use-reloaded.ts";
import {
  confirmApp,
  dropPasskey,
  isProtected,
  makePasskey,
  readSecondFactors,
  removeApp,
  renamePasskey,
  renewRecoveryCodes,
  startApp,
  type Passkey,
  type SecondFactors,
} from "../store/second-factors.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { shortTime, writtenTime } from "../text/time.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { download } from "../ui/download.ts";
import { Failure } from "../ui/failure.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import key from "../controls/api-key.module.css";
import { CodeField, PasskeyButton, useProof } from "./proof.tsx";
import styles from "./settings.module.css";
import { useForm } from "./use-form.tsx";

type Asked = "set up" | "renew" | "remove" | "add passkey" | { rename: Passkey } | { remove: Passkey };

export function SecondFactorSection() {
  const loaded = useReloaded(readSecondFactors, undefined);
  const [asks, setAsks] = useState<Asked>();
  const [codes, setCodes] = useState<readonly string[]>();
  const factors = loaded.value;
  const done = (shown?: readonly string[] | null): void => {
    setCodes(shown ?? undefined);
    setAsks(undefined);
    void loaded.reload();
  };
  if (loaded.failure !== undefined) return <Failure error={loaded.failure} onRetry={() => void loaded.reload()} />;
  return (
    <section class={styles.group} id="second-factor">
      <h3>{t("settings.secondFactor")}</h3>
      <p class={styles.note}>
        {factors && isProtected(factors)
          ? t("settings.secondFactor.on", { count: factors.recovery_codes_left })
          : t("settings.secondFactor.off")}
      </p>
      {codes && <RecoveryCodes codes={codes} />}
      {factors && (
        <>
          <PasskeyList passkeys={factors.passkeys} onAsk={setAsks} />
          <div class={styles.buttons}>
            {knowsPasskeys() && <Button onClick={() => setAsks("add passkey")}>{t("settings.passkey.add")}</Button>}
            {factors.totp === null ? (
              <Button onClick={() => setAsks("set up")}>{t("settings.secondFactor.setUp")}</Button>
            ) : (
              <Button onClick={() => setAsks("remove")}>{t("settings.secondFactor.remove")}</Button>
            )}
            {isProtected(factors) && (
              <Button kind="quiet" onClick={() => setAsks("renew")}>
                {t("settings.recoveryCodes.renew")}
              </Button>
            )}
          </div>
          {asks !== undefined && (
            <AskedDialog asks={asks} factors={factors} onDone={done} onClose={() => setAsks(undefined)} />
          )}
        </>
      )}
    </section>
  );
}

interface AskedProps {
  asks: Asked;
  factors: SecondFactors;
  onDone: (codes?: readonly string[] | null) => void;
  onClose: () => void;
}

function AskedDialog({ asks, factors, onDone, onClose }: AskedProps) {
  const common = { factors, onClose };
  if (asks === "set up") return <SetUpDialog {...common} onDone={onDone} />;
  if (asks === "add passkey") return <AddPasskeyDialog {...common} onDone={onDone} />;
  if (asks === "renew")
    return (
      <ProofDialog
        {...common}
        title={t("settings.recoveryCodes.renew")}
        action={t("settings.recoveryCodes.renew.action")}
        effect={t("settings.recoveryCodes.renew.effect")}
        run={async (proof) => onDone(await renewRecoveryCodes(proof))}
      />
    );
  if (asks === "remove")
    return (
      <ProofDialog
        {...common}
        title={t("settings.secondFactor.remove")}
        action={t("settings.secondFactor.remove.action")}
        effect={t(
          factors.passkeys.length > 0 ? "settings.passkey.remove.effect" : "settings.secondFactor.remove.effect",
        )}
        isDangerous
        run={async (proof) => {
          await removeApp(proof);
          onDone();
        }}
      />
    );
  if ("rename" in asks) return <RenameDialog passkey={asks.rename} onDone={onDone} onClose={onClose} />;
  const isLast = factors.totp === null && factors.passkeys.length === 1;
  return (
    <ProofDialog
      {...common}
      title={t("settings.passkey.removeOne", { name: asks.remove.name })}
      action={t("settings.passkey.remove")}
      effect={t(isLast ? "settings.secondFactor.remove.effect" : "settings.passkey.remove.effect")}
      isDangerous
      run={async (proof) => {
        await dropPasskey(asks.remove.id, proof);
        onDone();
      }}
    />
  );
}

function PasskeyList({ passkeys, onAsk }: { passkeys: readonly Passkey[]; onAsk: (asked: Asked) => void }) {
  if (passkeys.length === 0) return null;
  return (
    <ul class={styles.list} aria-label={t("settings.passkeys")}>
      {passkeys.map((passkey) => (
        <li key={passkey.id} class={styles.row}>
          <div class={styles.main}>
            <span>{passkey.name}</span>
            <span class={styles.detail}>
              {t("settings.passkey.added", { time: writtenTime(passkey.created_at) })} ·{" "}
              {passkey.last_used_at === null
                ? t("settings.passkey.neverUsed")
                : t("settings.passkey.used", { time: shortTime(passkey.last_used_at) })}
            </span>
          </div>
          <Button
            kind="quiet"
            aria-label={t("settings.passkey.renameOne", { name: passkey.name })}
            onClick={() => onAsk({ rename: passkey })}
          >
            {t("settings.passkey.rename")}
          </Button>
          <Button
            kind="quiet"
            aria-label={t("settings.passkey.removeOne", { name: passkey.name })}
            onClick={() => onAsk({ remove: passkey })}
          >
            {t("settings.passkey.remove")}
          </Button>
        </li>
      ))}
    </ul>
  );
}

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

interface AddProps {
  factors: SecondFactors;
  onDone: (codes?: readonly string[] | null) => void;
  onClose: () => void;
}

/** Asks for the password, and for the second factor if there is one already; then shows the secret and asks for a first code. */
function SetUpDialog({ factors, onDone, onClose }: AddProps) {
  const [password, setPassword] = useState("");
  const [started, setStarted] = useState<Awaited<ReturnType<typeof startApp>>>();
  const [code, setCode] = useState("");
  const proof = useProof(async (given) => setStarted(await startApp(password, given)), isProtected(factors));
  const confirm = useForm(async () => onDone(await confirmApp(code)));
  return (
    <Dialog
      title={t("settings.secondFactor.setUp")}
      width="narrow"
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={started ? confirm.submit : proof.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={confirm.isBusy || proof.isBusy}>
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
          <CodeField value={code} error={confirm.error} onChange={setCode} />
        </>
      ) : (
        <>
          <PasswordField
            label={t("settings.yourPassword")}
            required
            autofocus
            autocomplete="current-password"
            value={password}
            error={proof.isNeeded ? undefined : proof.error}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
          {proof.isNeeded && <CodeField value={proof.code} error={proof.error} onChange={proof.setCode} />}
          {factors.passkeys.length > 0 && <PasskeyButton proof={proof} />}
        </>
      )}
    </Dialog>
  );
}

function AddPasskeyDialog({ factors, onDone, onClose }: AddProps) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const proof = useProof(
    async (given) => onDone(await makePasskey(name.trim(), password, given)),
    isProtected(factors),
  );
  return (
    <Dialog
      title={t("settings.passkey.add")}
      width="narrow"
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={proof.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={proof.isBusy}>
            {t("settings.secondFactor.continue")}
          </Button>
        </>
      }
    >
      <p>{t("settings.passkey.add.effect")}</p>
      <NameField value={name} onChange={setName} />
      <PasswordField
        label={t("settings.yourPassword")}
        required
        autocomplete="current-password"
        value={password}
        error={proof.isNeeded ? undefined : proof.error}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      {proof.isNeeded && <CodeField value={proof.code} error={proof.error} onChange={proof.setCode} />}
      {factors.passkeys.length > 0 && <PasskeyButton proof={proof} />}
    </Dialog>
  );
}

interface NameFieldProps {
  value: string;
  error?: string | undefined;
  onChange: (name: string) => void;
}

const NameField = ({ value, error, onChange }: NameFieldProps) => (
  <TextField
    label={t("settings.passkey.name")}
    hint={t("settings.passkey.name.hint")}
    required
    autofocus
    maxLength={100}
    value={value}
    error={error}
    onInput={(event) => onChange(event.currentTarget.value)}
  />
);

function RenameDialog({ passkey, onDone, onClose }: { passkey: Passkey; onDone: () => void; onClose: () => void }) {
  const [name, setName] = useState(passkey.name);
  const form = useForm(async () => {
    await renamePasskey(passkey.id, name.trim());
    onDone();
  });
  return (
    <Dialog
      title={t("settings.passkey.renameOne", { name: passkey.name })}
      width="narrow"
      onClose={onClose}
      onSubmit={form.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={form.isBusy}>
            {t("settings.passkey.rename")}
          </Button>
        </>
      }
    >
      <NameField value={name} error={form.error} onChange={setName} />
    </Dialog>
  );
}

interface ProofDialogProps {
  factors: SecondFactors;
  title: string;
  action: string;
  effect: string;
  isDangerous?: boolean;
  run: (proof: Proof) => Promise<void>;
  onClose: () => void;
}

function ProofDialog({ factors, title, action, effect, isDangerous = false, run, onClose }: ProofDialogProps) {
  const proof = useProof(async (given) => {
    if (given) await run(given);
  }, true);
  return (
    <Dialog
      title={title}
      width="narrow"
      onClose={onClose}
      onSubmit={proof.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind={isDangerous ? "danger" : "primary"} type="submit" busy={proof.isBusy}>
            {action}
          </Button>
        </>
      }
    >
      <p>{effect}</p>
      <CodeField value={proof.code} error={proof.error} onChange={proof.setCode} />
      {factors.passkeys.length > 0 && <PasskeyButton proof={proof} />}
    </Dialog>
  );
}
