/** Adds an identity provider, or changes one. */
import "../../text/chunks/fields.ts";
import "../../text/chunks/organization.ts";
import "../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { createIdentityProvider, updateIdentityProvider } from "@skein/api/routes/identity-providers.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { useAction } from "../../controls/use-action.ts";
import { groups } from "../../store/group-settings.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FieldError, PasswordField, TextArea, TextField } from "../../ui/field.tsx";
import { keyOf, readGroupMap, showGroupMap, words } from "./provider-form.ts";

interface ProviderDialogProps {
  /** Undefined for a new one. */
  provider: IdentityProvider | undefined;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

const emptyForm = {
  name: "",
  key: "",
  issuer: "",
  client_id: "",
  client_secret: "",
  scopes: "",
  allowed_domains: "",
  groups_claim: "",
  group_map: "",
};
type TextName = keyof typeof emptyForm;

const formOf = (provider: IdentityProvider): typeof emptyForm => ({
  name: provider.name,
  key: provider.key,
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: "",
  scopes: provider.scopes.join(" "),
  allowed_domains: provider.allowed_domains.join(" "),
  groups_claim: provider.groups_claim,
  group_map: showGroupMap(provider.group_map, groups()),
});

export function ProviderDialog({ provider, onSaved, onClose }: ProviderDialogProps) {
  const [form, setForm] = useState(provider ? formOf(provider) : emptyForm);
  const [createsAccounts, setCreates] = useState(provider?.creates_accounts ?? true);
  const { isBusy, error, setError, run } = useAction();
  const key = provider?.key ?? (form.key === "" ? keyOf(form.name) : form.key);
  const text = (name: TextName) => ({
    value: form[name],
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
      setForm((before) => ({ ...before, [name]: value })),
  });
  const save = async (): Promise<void> => {
    const map = readGroupMap(form.group_map, groups());
    if ("unknown" in map) return setError(t("provider.groups.unknown", { line: map.unknown }));
    const settings = {
      name: form.name,
      issuer: form.issuer.trim(),
      client_id: form.client_id.trim(),
      scopes: words(form.scopes),
      allowed_domains: words(form.allowed_domains),
      creates_accounts: createsAccounts,
      groups_claim: form.groups_claim.trim(),
      group_map: map.ids,
    };
    // A secret that is left empty stays what it was.
    const secret = form.client_secret === "" ? {} : { client_secret: form.client_secret };
    const isSaved = await run(() =>
      provider
        ? call(updateIdentityProvider, { provider_id: provider.id, ...settings, ...secret })
        : call(createIdentityProvider, { key, ...settings, ...secret }),
    );
    if (!isSaved) return;
    await onSaved();
    onClose();
  };
  return (
    <Dialog
      title={provider ? t("provider.editOne", { name: provider.name }) : t("organization.identityProviders.add")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t(provider ? "provider.save" : "provider.add")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("provider.name")}
        hint={t("provider.name.hint")}
        required
        autofocus
        maxLength={50}
        {...text("name")}
      />
      {!provider && (
        <TextField
          label={t("provider.key")}
          hint={t("provider.key.hint", { url: `${location.origin}/complete/oidc/${key}/` })}
          maxLength={40}
          spellcheck={false}
          placeholder={key}
          {...text("key")}
        />
      )}
      <TextField
        label={t("provider.issuer")}
        hint={t("provider.issuer.hint")}
        required
        maxLength={500}
        spellcheck={false}
        placeholder="https://"
        {...text("issuer")}
      />
      <TextField
        label={t("provider.clientId")}
        required
        maxLength={200}
        spellcheck={false}
        autocomplete="off"
        {...text("client_id")}
      />
      <PasswordField
        label={t("provider.clientSecret")}
        hint={t(provider?.has_client_secret ? "provider.clientSecret.kept" : "provider.clientSecret.hint")}
        maxLength={500}
        autocomplete="off"
        {...text("client_secret")}
      />
      <TextField
        label={t("provider.domains")}
        hint={t("provider.domains.hint")}
        isOptional
        spellcheck={false}
        placeholder="example.com"
        {...text("allowed_domains")}
      />
      <CheckField
        label={t("provider.creates")}
        hint={t("provider.creates.hint")}
        checked={createsAccounts}
        onChange={setCreates}
      />
      <TextField
        label={t("provider.scopes")}
        hint={t("provider.scopes.hint")}
        isOptional
        spellcheck={false}
        {...text("scopes")}
      />
      <TextField
        label={t("provider.claim")}
        hint={t("provider.claim.hint")}
        isOptional
        maxLength={200}
        spellcheck={false}
        placeholder="groups"
        {...text("groups_claim")}
      />
      <TextArea
        label={t("provider.groups")}
        hint={t("provider.groups.hint")}
        isOptional
        spellcheck={false}
        {...text("group_map")}
      />
      <FieldError id="provider-error" error={error} />
    </Dialog>
  );
}
