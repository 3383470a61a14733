/** Shown over the page when the session has ended: the page and the composer's text stay as they are. */
import "../text/chunks/sign-in.ts";
import { useState } from "preact/hooks";
import { NoPasskey } from "../api/passkey.ts";
import { signIn, signInWithPasskey, type SignIn } from "../api/sign-in.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";

export function SignInDialog() {
  const [email, setEmail] = useState(part("delivery_email").peek() ?? "");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  // Undefined until the server asks for one.
  const [factors, setFactors] = useState<readonly string[]>();
  const [reason, setReason] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (attempt: () => Promise<SignIn>): Promise<void> => {
    setBusy(true);
    setReason(undefined);
    try {
      const result = await attempt();
      if (!result.ok && result.setUpPath !== undefined) location.assign(result.setUpPath);
      else if (!result.ok && result.factors) setFactors(result.factors);
      else if (!result.ok) setReason(result.reason);
    } catch (error) {
      setReason(t(error instanceof NoPasskey ? "signIn.passkey.failed" : "failure.noAnswer"));
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
      onSubmit={() => void submit(() => signIn(email, password, code))}
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
        error={factors ? undefined : reason}
        value={password}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      {factors && (
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
      {factors?.includes("passkey") && (
        <Button onClick={() => void submit(signInWithPasskey)}>{t("signIn.passkey")}</Button>
      )}
    </Dialog>
  );
}
