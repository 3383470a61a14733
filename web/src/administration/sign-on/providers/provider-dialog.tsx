/** Adds an identity provider, or changes one. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/organization.ts";
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { createIdentityProvider, updateIdentityProvider } from "@skein/api/routes/identity-providers.ts";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { call } from "../../../api/call.ts";
import { useAction } from "../../../controls/use-action.ts";
import { t } from "../../../text/t.ts";
import { Button } from "../../../ui/button.tsx";
import { RadioField } from "../../../ui/choices.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { useCommonForm } from "./common-fields.tsx";
import type { Kind, KindForm, Problem } from "./kind-form.ts";
import { useLdapForm } from "./ldap-form.tsx";
import { useOpenIdForm } from "./openid-form.tsx";
import { settingOf } from "./provider-form.ts";
import { useSamlForm } from "./saml-form.tsx";

interface ProviderDialogProps {
  /** Undefined for a new one. */
  provider: IdentityProvider | undefined;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

export function ProviderDialog({ provider, onSaved, onClose }: ProviderDialogProps) {
  const [kind, setKind] = useState<Kind>(provider?.kind ?? "oidc");
  const [unknownGroup, setUnknownGroup] = useState<{ line: string }>();
  const { isBusy, error, setError, run } = useAction();
  const problem = useMemo<Problem | undefined>(() => {
    if (unknownGroup) return { setting: "group_map", text: t("provider.groups.unknown", unknownGroup) };
    return error === undefined ? undefined : { setting: settingOf(error), text: error };
  }, [unknownGroup, error]);
  const common = useCommonForm(provider, kind, problem);
  const props = { provider, key: common.key, problem };
  const forms: Record<Kind, KindForm> = {
    oidc: useOpenIdForm(props),
    saml: useSamlForm(props),
    ldap: useLdapForm(props),
  };
  const form = forms[kind];
  const isShown = (setting = ""): boolean => common.shows(setting) || form.shows(setting);

  const body = useRef<HTMLDivElement>(null);
  // The field may be out of sight.
  useEffect(() => {
    if (problem) body.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [problem]);

  const save = async (): Promise<void> => {
    setError(undefined);
    const given = common.settings();
    if ("unknown" in given) return setUnknownGroup({ line: given.unknown });
    setUnknownGroup(undefined);
    const settings = { ...given, ...form.settings() };
    const isSaved = await run(() =>
      provider
        ? call(updateIdentityProvider, { provider_id: provider.id, ...settings })
        : call(createIdentityProvider, { key: common.key, kind, ...settings }),
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
      <div ref={body}>
        {!provider && <KindChoice kind={kind} onChange={setKind} />}
        {common.names}
        {form.fields}
        {common.people(form.groups)}
        {form.sync}
        <FieldError id="provider-error" error={problem && !isShown(problem.setting) ? problem.text : undefined} />
      </div>
    </Dialog>
  );
}

const kinds = ["oidc", "saml", "ldap"] as const satisfies readonly Kind[];

const KindChoice = ({ kind, onChange }: { kind: Kind; onChange: (kind: Kind) => void }) => (
  <RadioField
    label={t("provider.kind")}
    hint={t("provider.kind.hint")}
    value={kind}
    options={kinds.map((value) => ({ value, label: t(`provider.kind.${value}`) }))}
    onChange={(chosen) => onChange(kinds.find((each) => each === chosen) ?? "oidc")}
  />
);
