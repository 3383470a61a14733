/** Asks the reader to confirm who they are, before something dangerous. */
import "../text/chunks/fields.ts";
import "../text/chunks/sign-in.ts";
import type { ArgumentsOf } from "@skein/api/client.ts";
import { confirmSession } from "@skein/api/routes/sessions.ts";
import type { confirmSession as declared } from "@skein/api/sessions.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { NoPasskey } from "../api/passkey.ts";
import { unconfirmed } from "../api/step-up.ts";
import { reasonOf } from "../store/reasons.ts";
import { provePasskey } from "../store/second-factors.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";

type Given = ArgumentsOf<typeof declared>;

function endStepUp(isConfirmed: boolean): void {
  const ended = unconfirmed.peek();
  unconfirmed.value = [];
  for (const { refusal, resume, giveUp } of ended) {
    if (isConfirmed) resume();
    else giveUp(refusal);
  }
}

export function StepUpDialog() {
  const [secret, setSecret] = useState("");
  const [reason, setReason] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [first] = unconfirmed.value;
  if (!first) return null;
  const ways = first.refusal.data["confirm_with"] as string[]; // by the server
  const confirm = async (prove: () => Promise<Given>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setReason(undefined);
    try {
      await call(confirmSession, await prove());
      endStepUp(true);
    } catch (failure) {
      setReason(failure instanceof NoPasskey ? t("signIn.passkey.failed") : reasonOf(failure));
    }
    setBusy(false);
  };
  const takesPassword = ways.includes("password");
  const mustSignIn = ways.includes("sign_in");
  const field = {
    required: true,
    autofocus: true,
    value: secret,
    error: reason,
    onInput: (event: { currentTarget: HTMLInputElement }) => setSecret(event.currentTarget.value),
  };
  const submit = (): void => {
    if (mustSignIn) location.assign(`/login/?again=1&next=${encodeURIComponent(`/${location.hash}`)}`);
    else void confirm(async () => (takesPassword ? { password: secret } : { code: secret }));
  };
  return (
    <Dialog
      title={t("stepUp.title")}
      width="narrow"
      keepsOnOutsidePress
      onClose={() => endStepUp(false)}
      onSubmit={submit}
      actions={
        <>
          <Button onClick={() => endStepUp(false)}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t(mustSignIn ? "stepUp.signIn" : "stepUp.confirm")}
          </Button>
        </>
      }
    >
      <p>{t(mustSignIn ? "stepUp.signIn.text" : "stepUp.text")}</p>
      {takesPassword && <PasswordField label={t("signIn.password")} autocomplete="current-password" {...field} />}
      {!takesPassword && !mustSignIn && (
        <TextField label={t("signIn.code")} hint={t("signIn.code.hint")} autocomplete="one-time-code" {...field} />
      )}
      {ways.includes("passkey") && <Button onClick={() => void confirm(provePasskey)}>{t("signIn.passkey")}</Button>}
    </Dialog>
  );
}
