/** OpenID Connect: the form, and what a row shows. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { t } from "../../../text/t.ts";
import { PasswordField, TextField } from "../../../ui/field.tsx";
import lists from "../../lists.module.css";
import { type Address, Addresses, AddressesToRegister } from "../addresses.tsx";
import { type FactsProps, type KindForm, type KindFormProps, useTexts } from "./kind-form.ts";
import { words } from "./provider-form.ts";

const addressesOf = ({
  redirect_uri,
  backchannel_logout_uri,
}: Pick<IdentityProvider, "redirect_uri" | "backchannel_logout_uri">): Address[] => [
  { label: t("provider.redirect"), value: redirect_uri },
  { label: t("provider.logout"), value: backchannel_logout_uri },
];

export const OpenIdFacts = ({ provider }: FactsProps) => (
  <>
    <div class={lists.detail}>{provider.issuer}</div>
    <Addresses addresses={addressesOf(provider)} />
  </>
);

export function useOpenIdForm({ provider, key, problem }: KindFormProps): KindForm {
  const { values, shows, field } = useTexts(
    {
      issuer: provider?.issuer ?? "",
      client_id: provider?.client_id ?? "",
      client_secret: "",
      scopes: provider?.scopes.join(" ") ?? "",
    },
    problem,
  );
  const callback = `${location.origin}/complete/oidc/${key}/`;
  const planned = { redirect_uri: callback, backchannel_logout_uri: `${callback}backchannel-logout` };
  return {
    shows,
    settings: () => ({
      issuer: values.issuer.trim(),
      client_id: values.client_id.trim(),
      scopes: words(values.scopes),
      // A secret that is left empty stays what it was.
      ...(values.client_secret === "" ? {} : { client_secret: values.client_secret }),
    }),
    fields: (
      <>
        {!provider && <AddressesToRegister addresses={addressesOf(planned)} />}
        <TextField
          label={t("provider.issuer")}
          hint={t("provider.issuer.hint")}
          required
          maxLength={500}
          spellcheck={false}
          placeholder="https://"
          {...field("issuer")}
        />
        <TextField
          label={t("provider.clientId")}
          required
          maxLength={200}
          spellcheck={false}
          autocomplete="off"
          {...field("client_id")}
        />
        <PasswordField
          label={t("provider.clientSecret")}
          hint={t(provider?.has_client_secret ? "provider.clientSecret.kept" : "provider.clientSecret.hint")}
          maxLength={500}
          autocomplete="off"
          {...field("client_secret")}
        />
        <TextField
          label={t("provider.scopes")}
          hint={t("provider.scopes.hint")}
          isOptional
          spellcheck={false}
          {...field("scopes")}
        />
      </>
    ),
  };
}
