/** Shown over the page when the session has ended: the page and the composer's text stay as they are. */
import "../text/chunks/sign-in.ts";
import { useState } from "preact/hooks";
import { signIn } from "../api/sign-in.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";

export default function SignInDialog() {
  const [email, setEmail] = useState(part("delivery_email").peek() ?? "");
  const [password, setPassword] = useState("");
  // Undefined until the server asks for it.
  const [code, setCode] = useState<string>();
  const [reason, setReason] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setReason(undefined);
    try {
      const result = await signIn(email, password, code);
      if (!result.ok && result.needsCode) setCode("");
      else if (!result.ok) setReason(result.reason);
    } catch {
      setReason(t("failure.noAnswer"));
    } finally {
      setBusy(false);
    }
  };
  const leave = (): void => location.assign(`/login/?next=${encodeURIComponent(`/${location.hash}`)}`);
  return (
    <Dialog
      title={t("signIn.title")}
      width="narrow"
      keepsOnOutsidePress
      onClose={leave}
      onSubmit={() => void submit()}
      actions={
        <Button kind="primary" type="submit" busy={isBusy}>
          {t("signIn.submit")}
        </Button>
      }
    >
      <p>{t("signIn.kept")}</p>
      <TextField
        label={t("signIn.email")}
        type="email"
        autocomplete="username"
        required
        value={email}
        onInput={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        label={t("signIn.password")}
        autocomplete="current-password"
        required
        error={code === undefined ? reason : undefined}
        value={password}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      {code !== undefined && (
        <TextField
          label={t("signIn.code")}
          hint={t("signIn.code.hint")}
          autocomplete="one-time-code"
          required
          autofocus
          error={reason}
          value={code}
          onInput={(event) => setCode(event.currentTarget.value)}
        />
      )}
    </Dialog>
  );
}
