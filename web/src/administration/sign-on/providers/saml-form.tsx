/** SAML 2.0: the form, and what a row shows. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/sign-on.ts";
import { useState } from "preact/hooks";
import { t } from "../../../text/t.ts";
import { CheckField, RadioField } from "../../../ui/choices.tsx";
import { TextArea, TextField } from "../../../ui/field.tsx";
import lists from "../../lists.module.css";
import { type Address, Addresses, AddressesToRegister } from "../addresses.tsx";
import { CertificateEnds, StoredCertificates } from "./certificates.tsx";
import { type FactsProps, type KindForm, type KindFormProps, type Problem, useTexts } from "./kind-form.ts";
import { splitCertificates } from "./provider-form.ts";

type Way = "metadata" | "hand";

const addressesOf = (entityId: string, acsUrl: string, metadataUrl: string): Address[] => [
  { label: t("provider.entityId.ours"), value: entityId },
  { label: t("provider.acs"), value: acsUrl },
  { label: t("provider.metadata.ours"), value: metadataUrl, isLink: true },
];

export const SamlFacts = ({ provider: { issuer, redirect_uri, saml } }: FactsProps) =>
  saml && (
    <>
      <div class={lists.detail}>{issuer}</div>
      <Addresses addresses={addressesOf(saml.entity_id, redirect_uri, saml.metadata_url)} />
      <CertificateEnds certificates={saml.certificates} />
    </>
  );

/** What metadata set: a problem with it is theirs. */
const setByMetadata = ["issuer", "saml.sso_url", "saml.certificates"];
const inMetadata = (problem: Problem | undefined): Problem | undefined =>
  problem && setByMetadata.includes(problem.setting ?? "") ? { ...problem, setting: "saml.metadata" } : problem;

export function useSamlForm({ provider, problem }: KindFormProps): KindForm {
  const stored = provider?.saml;
  const [way, setWay] = useState<Way>(provider ? "hand" : "metadata");
  const [kept, setKept] = useState(stored?.certificates ?? []);
  const [isSigned, setSigned] = useState(stored?.requires_signed_response ?? false);
  const { values, shows, field } = useTexts(
    {
      "saml.metadata": "",
      issuer: provider?.issuer ?? "",
      "saml.sso_url": stored?.sso_url ?? "",
      "saml.certificates": "",
      "saml.email_attribute": stored?.email_attribute ?? "",
      "saml.name_attribute": stored?.name_attribute ?? "",
      "saml.subject_attribute": stored?.subject_attribute ?? "",
    },
    way === "metadata" ? inMetadata(problem) : problem,
  );
  const settings = (): ReturnType<KindForm["settings"]> => {
    const options = {
      requires_signed_response: isSigned,
      email_attribute: values["saml.email_attribute"].trim(),
      name_attribute: values["saml.name_attribute"].trim(),
      subject_attribute: values["saml.subject_attribute"].trim(),
    };
    if (way === "metadata") return { saml: { ...options, metadata: values["saml.metadata"] } };
    const added = splitCertificates(values["saml.certificates"]);
    return {
      issuer: values.issuer.trim(),
      saml: {
        ...options,
        sso_url: values["saml.sso_url"].trim(),
        certificates: [...kept.map(({ certificate }) => certificate), ...added],
      },
    };
  };
  const { origin } = location;
  const fields = (
    <>
      {!provider && (
        <AddressesToRegister
          addresses={addressesOf(origin, `${origin}/complete/saml/`, `${origin}/saml/metadata.xml`)}
        />
      )}
      <RadioField
        label={t("provider.way")}
        value={way}
        options={[
          { value: "metadata", label: t("provider.way.metadata") },
          { value: "hand", label: t("provider.way.hand") },
        ]}
        onChange={(chosen) => setWay(chosen === "hand" ? "hand" : "metadata")}
      />
      {way === "metadata" ? (
        <TextArea
          label={t("provider.metadata")}
          hint={t(provider ? "provider.metadata.replaces" : "provider.metadata.hint")}
          required
          rows={5}
          maxLength={100_000}
          spellcheck={false}
          placeholder="<EntityDescriptor …"
          {...field("saml.metadata")}
        />
      ) : (
        <>
          <TextField
            label={t("provider.entityId")}
            hint={t("provider.entityId.hint")}
            required
            maxLength={500}
            spellcheck={false}
            {...field("issuer")}
          />
          <TextField
            label={t("provider.ssoUrl")}
            hint={t("provider.ssoUrl.hint")}
            required
            maxLength={500}
            spellcheck={false}
            placeholder="https://"
            {...field("saml.sso_url")}
          />
          <StoredCertificates certificates={kept} onChange={setKept} />
          <TextArea
            label={t(stored ? "provider.certificates.more" : "provider.certificates")}
            hint={t("provider.certificates.hint")}
            required={kept.length === 0}
            isOptional={kept.length > 0}
            spellcheck={false}
            placeholder="-----BEGIN CERTIFICATE-----"
            {...field("saml.certificates")}
          />
        </>
      )}
      <CheckField
        label={t("provider.signed")}
        hint={t("provider.signed.hint")}
        checked={isSigned}
        onChange={setSigned}
      />
      <TextField
        label={t("provider.emailAttribute")}
        hint={t("provider.emailAttribute.hint")}
        isOptional
        maxLength={200}
        spellcheck={false}
        {...field("saml.email_attribute")}
      />
      <TextField
        label={t("provider.nameAttribute")}
        hint={t("provider.nameAttribute.hint")}
        isOptional
        maxLength={200}
        spellcheck={false}
        {...field("saml.name_attribute")}
      />
      <TextField
        label={t("provider.subjectAttribute")}
        hint={t("provider.subjectAttribute.hint")}
        isOptional
        maxLength={200}
        spellcheck={false}
        {...field("saml.subject_attribute")}
      />
    </>
  );
  return { shows, settings, fields };
}
