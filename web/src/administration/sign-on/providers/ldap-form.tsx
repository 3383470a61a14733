/** LDAP and Active Directory: the form, and what a row shows. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/sign-on.ts";
import { useState } from "preact/hooks";
import { t } from "../../../text/t.ts";
import { CheckField } from "../../../ui/choices.tsx";
import { PasswordField, TextArea, TextField } from "../../../ui/field.tsx";
import lists from "../../lists.module.css";
import type { FactsProps, KindForm, KindFormProps } from "./kind-form.ts";
import { useTexts } from "./kind-form.ts";
import { LdapSync } from "./ldap-sync.tsx";

export const LdapFacts = ({ provider, reload }: FactsProps) =>
  provider.ldap && (
    <>
      <div class={lists.detail}>{provider.ldap.url}</div>
      <LdapSync provider={provider} sync={provider.ldap.sync} reload={reload} />
    </>
  );

/** As the server has it, unless an owner chooses otherwise. */
const usualSync = {
  is_enabled: false,
  interval_minutes: 60,
  deactivates_missing: true,
  max_deactivations: 5,
  max_deactivation_percent: 10,
};

export function useLdapForm({ provider, problem }: KindFormProps): KindForm {
  const stored = provider?.ldap;
  const { values, shows, field } = useTexts(
    {
      "ldap.url": stored?.url ?? "",
      "ldap.ca_certificate": stored?.ca_certificate ?? "",
      "ldap.bind_dn": stored?.bind_dn ?? "",
      "ldap.bind_password": "",
      "ldap.user_base": stored?.user_base ?? "",
      "ldap.user_filter": stored?.user_filter ?? "(|(uid={login})(mail={login}))",
      "ldap.email_attribute": stored?.email_attribute ?? "",
      "ldap.name_attribute": stored?.name_attribute ?? "",
      "ldap.id_attribute": stored?.id_attribute ?? "",
      "ldap.group_base": stored?.group_base ?? "",
      "ldap.group_filter": stored?.group_filter ?? "(member={dn})",
    },
    problem,
  );
  const [startsTls, setStartsTls] = useState(stored?.start_tls ?? true);
  const [isNested, setNested] = useState(stored?.nested_groups ?? true);
  const sync = useSyncFields(stored?.sync ?? usualSync, problem);
  const isPlain = values["ldap.url"].trim().toLowerCase().startsWith("ldap://");
  return {
    shows: (setting) => shows(setting) || sync.shows(setting),
    settings: () => ({
      ldap: {
        url: values["ldap.url"].trim(),
        start_tls: isPlain && startsTls,
        ca_certificate: values["ldap.ca_certificate"].trim(),
        bind_dn: values["ldap.bind_dn"].trim(),
        // A password that is left empty stays what it was, as long as there is an account.
        ...(values["ldap.bind_password"] === "" && values["ldap.bind_dn"].trim() !== ""
          ? {}
          : { bind_password: values["ldap.bind_password"] }),
        user_base: values["ldap.user_base"].trim(),
        user_filter: values["ldap.user_filter"].trim(),
        email_attribute: values["ldap.email_attribute"].trim(),
        name_attribute: values["ldap.name_attribute"].trim(),
        id_attribute: values["ldap.id_attribute"].trim(),
        group_base: values["ldap.group_base"].trim(),
        group_filter: values["ldap.group_filter"].trim(),
        nested_groups: isNested,
        sync: sync.settings(),
      },
    }),
    fields: (
      <>
        <TextField
          label={t("provider.ldap.url")}
          hint={t("provider.ldap.url.hint")}
          required
          maxLength={500}
          spellcheck={false}
          placeholder="ldaps://"
          {...field("ldap.url")}
        />
        {isPlain && (
          <CheckField
            label={t("provider.ldap.startTls")}
            hint={t("provider.ldap.startTls.hint")}
            checked={startsTls}
            onChange={setStartsTls}
          />
        )}
        <TextArea
          label={t("provider.ldap.authorities")}
          hint={t("provider.ldap.authorities.hint")}
          isOptional
          maxLength={10_000}
          spellcheck={false}
          placeholder="-----BEGIN CERTIFICATE-----"
          {...field("ldap.ca_certificate")}
        />
        <TextField
          label={t("provider.ldap.bindDn")}
          hint={t("provider.ldap.bindDn.hint")}
          isOptional
          maxLength={500}
          spellcheck={false}
          autocomplete="off"
          placeholder="cn=skein,dc=example,dc=com"
          {...field("ldap.bind_dn")}
        />
        <PasswordField
          label={t("provider.ldap.bindPassword")}
          hint={t(stored?.has_bind_password ? "provider.ldap.bindPassword.kept" : "provider.ldap.bindPassword.hint")}
          maxLength={500}
          autocomplete="off"
          {...field("ldap.bind_password")}
        />
        <TextField
          label={t("provider.ldap.userBase")}
          hint={t("provider.ldap.userBase.hint")}
          required
          maxLength={500}
          spellcheck={false}
          placeholder="ou=people,dc=example,dc=com"
          {...field("ldap.user_base")}
        />
        <TextField
          label={t("provider.ldap.userFilter")}
          hint={t("provider.ldap.userFilter.hint", { login: "{login}" })}
          required
          maxLength={1000}
          spellcheck={false}
          {...field("ldap.user_filter")}
        />
        <TextField
          label={t("provider.emailAttribute")}
          hint={t("provider.ldap.emailAttribute.hint")}
          isOptional
          maxLength={200}
          spellcheck={false}
          placeholder="mail"
          {...field("ldap.email_attribute")}
        />
        <TextField
          label={t("provider.nameAttribute")}
          hint={t("provider.ldap.nameAttribute.hint")}
          isOptional
          maxLength={200}
          spellcheck={false}
          placeholder="displayName"
          {...field("ldap.name_attribute")}
        />
        <TextField
          label={t("provider.subjectAttribute")}
          hint={t("provider.ldap.idAttribute.hint")}
          isOptional
          maxLength={200}
          spellcheck={false}
          placeholder="entryUUID"
          {...field("ldap.id_attribute")}
        />
      </>
    ),
    groups: (
      <>
        <TextField
          label={t("provider.ldap.groupBase")}
          hint={t("provider.ldap.groupBase.hint")}
          isOptional
          maxLength={500}
          spellcheck={false}
          placeholder="ou=groups,dc=example,dc=com"
          {...field("ldap.group_base")}
        />
        <TextField
          label={t("provider.ldap.groupFilter")}
          hint={t("provider.ldap.groupFilter.hint")}
          required
          maxLength={1000}
          spellcheck={false}
          {...field("ldap.group_filter")}
        />
        <CheckField
          label={t("provider.ldap.nested")}
          hint={t("provider.ldap.nested.hint")}
          checked={isNested}
          onChange={setNested}
        />
      </>
    ),
    sync: sync.fields,
  };
}

/** How accounts follow the directory. */
function useSyncFields(stored: typeof usualSync, problem: KindFormProps["problem"]) {
  const [isEnabled, setEnabled] = useState(stored.is_enabled);
  const [deactivates, setDeactivates] = useState(stored.deactivates_missing);
  const { values, shows, field } = useTexts(
    {
      "ldap.sync.interval_minutes": String(stored.interval_minutes),
      "ldap.sync.max_deactivations": String(stored.max_deactivations),
      "ldap.sync.max_deactivation_percent": String(stored.max_deactivation_percent),
    },
    problem,
  );
  return {
    shows,
    settings: () => ({
      is_enabled: isEnabled,
      interval_minutes: Number(values["ldap.sync.interval_minutes"]),
      deactivates_missing: deactivates,
      max_deactivations: Number(values["ldap.sync.max_deactivations"]),
      max_deactivation_percent: Number(values["ldap.sync.max_deactivation_percent"]),
    }),
    fields: (
      <>
        <CheckField
          label={t("provider.sync.enabled")}
          hint={t("provider.sync.enabled.hint")}
          checked={isEnabled}
          onChange={setEnabled}
        />
        {isEnabled && (
          <TextField
            type="number"
            label={t("provider.sync.interval")}
            required
            min={5}
            max={10_080}
            {...field("ldap.sync.interval_minutes")}
          />
        )}
        <CheckField
          label={t("provider.sync.deactivates")}
          hint={t("provider.sync.deactivates.hint")}
          checked={deactivates}
          onChange={setDeactivates}
        />
        {deactivates && (
          <>
            <TextField
              type="number"
              label={t("provider.sync.most")}
              hint={t("provider.sync.most.hint")}
              required
              min={0}
              max={1_000_000}
              {...field("ldap.sync.max_deactivations")}
            />
            <TextField
              type="number"
              label={t("provider.sync.mostPercent")}
              required
              min={0}
              max={100}
              {...field("ldap.sync.max_deactivation_percent")}
            />
          </>
        )}
      </>
    ),
  };
}
