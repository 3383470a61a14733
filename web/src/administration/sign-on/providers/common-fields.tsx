/** The settings that providers of all kinds have. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { groups } from "../../../store/group-settings.ts";
import { t } from "../../../text/t.ts";
import { CheckField } from "../../../ui/choices.tsx";
import { TextArea, TextField } from "../../../ui/field.tsx";
import { type CommonSettings, type Kind, type Problem, useTexts } from "./kind-form.ts";
import { keyOf, readGroupMap, showGroupMap, words } from "./provider-form.ts";

interface CommonForm {
  /** Its name in URLs. */
  key: string;
  /** What it is called: before the fields of its kind. */
  names: ComponentChildren;
  /** Who gets an account, and in which groups: after them. */
  people: (groups: ComponentChildren) => ComponentChildren;
  shows: (setting: string) => boolean;
  settings: () => CommonSettings | { unknown: string };
}

export function useCommonForm(provider: IdentityProvider | undefined, kind: Kind, problem: Problem | undefined) {
  const { values, shows, field } = useTexts(
    {
      name: provider?.name ?? "",
      key: provider?.key ?? "",
      allowed_domains: provider?.allowed_domains.join(" ") ?? "",
      groups_claim: provider?.groups_claim ?? "",
      group_map: provider ? showGroupMap(provider.group_map, groups()) : "",
    },
    problem,
  );
  const [createsAccounts, setCreates] = useState(provider?.creates_accounts ?? true);
  const key = values.key === "" ? keyOf(values.name) : values.key;
  const form: CommonForm = {
    key,
    shows,
    settings: () => {
      const map = readGroupMap(values.group_map, groups());
      if ("unknown" in map) return map;
      return {
        name: values.name,
        allowed_domains: words(values.allowed_domains),
        creates_accounts: createsAccounts,
        groups_claim: values.groups_claim.trim(),
        group_map: map.ids,
      };
    },
    names: (
      <>
        <TextField
          label={t("provider.name")}
          hint={t("provider.name.hint")}
          required
          autofocus
          maxLength={50}
          {...field("name")}
        />
        {!provider && (
          <TextField
            label={t("provider.key")}
            hint={t("provider.key.hint")}
            maxLength={40}
            spellcheck={false}
            placeholder={key}
            {...field("key")}
          />
        )}
      </>
    ),
    people: (groupFields) => (
      <>
        <TextField
          label={t("provider.domains")}
          hint={t("provider.domains.hint")}
          isOptional
          spellcheck={false}
          placeholder="example.com"
          {...field("allowed_domains")}
        />
        <CheckField
          label={t("provider.creates")}
          hint={t("provider.creates.hint")}
          checked={createsAccounts}
          onChange={setCreates}
        />
        <TextField
          label={t(kind === "oidc" ? "provider.claim" : "provider.groupsAttribute")}
          hint={t(kind === "ldap" ? "provider.ldap.groupsAttribute.hint" : "provider.claim.hint")}
          isOptional
          maxLength={200}
          spellcheck={false}
          placeholder={kind === "ldap" ? "memberOf" : "groups"}
          {...field("groups_claim")}
        />
        {groupFields}
        <TextArea
          label={t("provider.groups")}
          hint={t(kind === "ldap" ? "provider.ldap.groups.hint" : "provider.groups.hint")}
          isOptional
          spellcheck={false}
          {...field("group_map")}
        />
      </>
    ),
  };
  return form;
}
