/** An identity provider in the list: what it is, whether people can sign in there, and a test. */
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { testIdentityProvider, updateIdentityProvider } from "@skein/api/routes/identity-providers.ts";
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import { call } from "../../../api/call.ts";
import { DangerDialog } from "../../../controls/danger-dialog.tsx";
import { useAction } from "../../../controls/use-action.ts";
import { useSaving } from "../../../controls/use-saving.ts";
import { t } from "../../../text/t.ts";
import { Button } from "../../../ui/button.tsx";
import { CheckField } from "../../../ui/choices.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import lists from "../../lists.module.css";
import styles from "../sign-on.module.css";
import type { FactsProps, Kind } from "./kind-form.ts";
import { LdapFacts } from "./ldap-form.tsx";
import { OpenIdFacts } from "./openid-form.tsx";
import { SamlFacts } from "./saml-form.tsx";

/** What owners need to know of a provider of this kind. */
const facts: Record<Kind, ComponentType<FactsProps>> = { oidc: OpenIdFacts, saml: SamlFacts, ldap: LdapFacts };

export function ProviderRow({ provider, reload }: FactsProps) {
  const { id: provider_id, kind, name, is_enabled } = provider;
  const { saved, error, save } = useSaving();
  const Facts = facts[kind];
  return (
    <>
      <div class={styles.title}>
        <span class={lists.name} dir="auto">
          {name}
        </span>
        <span class={lists.tag}>{t(`provider.kind.${kind}`)}</span>
      </div>
      <Facts provider={provider} reload={reload} />
      <div class={styles.switch}>
        <CheckField
          label={t("provider.enabled")}
          checked={is_enabled}
          saved={saved}
          error={error}
          onChange={(wanted) =>
            void save(async () => {
              await call(updateIdentityProvider, { provider_id, is_enabled: wanted });
              await reload();
            })
          }
        />
        <OnlyThis provider={provider} reload={reload} />
      </div>
      <Test provider={provider} />
    </>
  );
}

/** Refuses every other way to sign in. */
function OnlyThis({ provider: { id: provider_id, name, is_only }, reload }: FactsProps) {
  const [isAsking, setAsking] = useState(false);
  const { saved, error, save } = useSaving();
  const set = async (wanted: boolean): Promise<void> => {
    await call(updateIdentityProvider, { provider_id, is_only: wanted });
    await reload();
  };
  return (
    <>
      <CheckField
        label={t("provider.only")}
        hint={t("provider.only.hint")}
        checked={is_only}
        saved={saved}
        error={error}
        onChange={(wanted) => {
          if (wanted) setAsking(true);
          else void save(() => set(false));
        }}
      />
      {isAsking && (
        <DangerDialog
          title={t("provider.only.question", { name })}
          action={t("provider.only.action")}
          run={() => set(true)}
          onClose={() => setAsking(false)}
        >
          <p>{t("provider.only.refused")}</p>
          <p>{t("provider.only.kept")}</p>
          <p>{t("provider.only.back")}</p>
        </DangerDialog>
      )}
    </>
  );
}

function Test({ provider: { id: provider_id, kind, name } }: { provider: IdentityProvider }) {
  const [result, setResult] = useState<{ problem: string | null }>();
  const { isBusy, error, run } = useAction();
  return (
    <div class={styles.test}>
      <Button
        busy={isBusy}
        aria-label={t("provider.testOne", { name })}
        onClick={() => void run(async () => setResult(await call(testIdentityProvider, { provider_id })))}
      >
        {t("provider.test")}
      </Button>
      <div role="status">
        {result && !isBusy && (
          <div class={result.problem === null ? styles.done : styles.failed}>
            <Icon name={result.problem === null ? "circle-check" : "circle-alert"} size={14} />
            <span>{result.problem ?? t(`provider.test.fine.${kind}`)}</span>
          </div>
        )}
      </div>
      <FieldError id={`test-error-${provider_id}`} error={error} />
    </div>
  );
}
