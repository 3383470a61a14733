/** Asks for the second factor in a dialog: a field for a code, and a button for a passkey. */
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { NoPasskey } from "../api/passkey.ts";
import type { Proof } from "../api/proof.ts";
import { reasonOf } from "../store/reasons.ts";
import { provePasskey } from "../store/second-factors.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";

export interface AskedProof {
  code: string;
  setCode: (code: string) => void;
  isNeeded: boolean;
  isBusy: boolean;
  error: string | undefined;
  /** Sends with the code, if one is needed. */
  submit: () => void;
  /** Sends with a passkey instead. */
  usePasskey: () => void;
}

/** `send` gets the proof, if one is needed. */
export function useProof(send: (proof: Proof | undefined) => Promise<void>, isNeeded: boolean): AskedProof {
  const [code, setCode] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const run = async (prove: () => Promise<Proof | undefined>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await send(await prove());
    } catch (failure) {
      setError(failure instanceof NoPasskey ? t("settings.passkey.failed") : reasonOf(failure));
    }
    setBusy(false);
  };
  return {
    code,
    setCode,
    isNeeded,
    isBusy,
    error,
    submit: () => void run(async () => (isNeeded ? { code } : undefined)),
    usePasskey: () => void run(provePasskey),
  };
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

export const PasskeyButton = ({ proof }: { proof: Pick<AskedProof, "usePasskey"> }) => (
  <Button onClick={proof.usePasskey}>{t("settings.passkey.use")}</Button>
);
