/** The reader's API keys: create, rename, revoke, or replace all. */
import "../text/chunks/fields.ts";
import "../text/chunks/access.ts";
import "../text/chunks/controls.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { replaceApiKeys } from "../api/key-call.ts";
import { KeyList } from "../controls/key-list.tsx";
import { elementId } from "../descriptors/setting.ts";
import { reader, renameKey, type Key } from "../store/access.ts";
import { hasPasswords } from "../store/account.ts";
import { factorsAskedFor } from "../store/second-factors.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { PasswordField, TextField } from "../ui/field.tsx";
import { CreateKeyDialog, NewKey } from "./create-key-dialog.tsx";
import { CodeField, PasskeyButton, useProof } from "./proof.tsx";
import styles from "./settings.module.css";
import { useForm } from "./use-form.tsx";

export default function ApiKeys() {
  const [open, setOpen] = useState<"create" | "replace" | Key>();
  const [replaced, setReplaced] = useState<string>();
  const close = (): void => setOpen(undefined);
  return (
    <section class={styles.group} id={elementId("api-keys")}>
      <p class={styles.note}>{t("settings.apiKey.hint")}</p>
      {replaced !== undefined && <NewKey value={replaced} />}
      <KeyList
        holder={reader}
        actions={(key) => (
          <Button kind="quiet" aria-label={t("access.renameOne", { name: key.name })} onClick={() => setOpen(key)}>
            {t("access.rename")}
          </Button>
        )}
      />
      <div class={styles.buttons}>
        <Button kind="primary" icon="plus" onClick={() => setOpen("create")}>
          {t("settings.createKey")}
        </Button>
        {hasPasswords() && (
          <Button kind="quiet" id={elementId("replace-keys")} onClick={() => setOpen("replace")}>
            {t("settings.replaceKeys")}
          </Button>
        )}
      </div>
      {open === "create" && <CreateKeyDialog onClose={close} />}
      {open === "replace" && (
        <ReplaceDialog
          onKey={(key) => {
            setReplaced(key);
            close();
          }}
          onClose={close}
        />
      )}
      {typeof open === "object" && <RenameDialog apiKey={open} onClose={close} />}
    </section>
  );
}

function RenameDialog({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const [name, setName] = useState(apiKey.name);
  const form = useForm(async () => {
    await renameKey(apiKey.id, name.trim());
    onClose();
  });
  return (
    <Dialog
      title={t("access.renameOne", { name: apiKey.name })}
      width="narrow"
      onClose={onClose}
      onSubmit={form.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={form.isBusy}>
            {t("access.rename")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("access.name")}
        required
        autofocus
        maxLength={100}
        value={name}
        error={form.error}
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </Dialog>
  );
}

function ReplaceDialog({ onKey, onClose }: { onKey: (key: string) => void; onClose: () => void }) {
  const [password, setPassword] = useState("");
  // Undefined until the server asks for one.
  const [factors, setFactors] = useState<readonly string[]>();
  const proof = useProof(async (given) => {
    try {
      onKey(await replaceApiKeys(password, given));
    } catch (error) {
      const asked = factorsAskedFor(error);
      if (!asked) throw error;
      setFactors(asked);
    }
  }, factors !== undefined);
  return (
    <Dialog
      title={t("settings.replaceKeys")}
      width="narrow"
      onClose={onClose}
      onSubmit={proof.submit}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="danger" type="submit" busy={proof.isBusy}>
            {t("settings.replaceKeys.action")}
          </Button>
        </>
      }
    >
      <p>{t("settings.replaceKeys.effect")}</p>
      <PasswordField
        label={t("settings.yourPassword")}
        required
        autofocus
        autocomplete="current-password"
        value={password}
        error={factors ? undefined : proof.error}
        onInput={(event) => setPassword(event.currentTarget.value)}
      />
      {factors && <CodeField value={proof.code} error={proof.error} onChange={proof.setCode} />}
      {factors?.includes("passkey") && <PasskeyButton proof={proof} />}
    </Dialog>
  );
}
