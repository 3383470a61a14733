/** Identity providers of the organization: OpenID Connect. */
import "../../text/chunks/organization.ts";
import "../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import {
  deleteIdentityProvider,
  getIdentityProviders,
  testIdentityProvider,
  updateIdentityProvider,
} from "@skein/api/routes/identity-providers.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { RevokedList } from "../../controls/revoked-list.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useSaving } from "../../controls/use-saving.ts";
import { elementId } from "../../descriptors/setting.ts";
import { useReloaded } from "../../parts/use-reloaded.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField } from "../../ui/choices.tsx";
import { FieldError } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import lists from "../lists.module.css";
import { ProviderDialog } from "./provider-dialog.tsx";
import styles from "./sign-on.module.css";

const load = async (): Promise<readonly IdentityProvider[]> =>
  (await call(getIdentityProviders, {})).identity_providers.filter(({ kind }) => kind === "oidc");

export default function IdentityProviders() {
  const providers = useReloaded(load, undefined);
  const [edited, setEdited] = useState<IdentityProvider | "new">();
  const { reload } = providers;
  return (
    <section id={elementId("add-identity-provider")}>
      <p class={lists.note}>{t("provider.about")}</p>
      <div class={lists.add}>
        <Button kind="primary" icon="plus" onClick={() => setEdited("new")}>
          {t("organization.identityProviders.add")}
        </Button>
      </div>
      <RevokedList
        label={t("organization.identityProviders")}
        items={providers}
        none={t("provider.none")}
        render={(provider) => <Provider provider={provider} reload={reload} />}
        actions={(provider, ask) => (
          <>
            <Button
              kind="quiet"
              aria-label={t("provider.editOne", { name: provider.name })}
              onClick={() => setEdited(provider)}
            >
              {t("provider.edit")}
            </Button>
            <Button kind="quiet" aria-label={t("provider.removeOne", { name: provider.name })} onClick={ask}>
              {t("provider.remove")}
            </Button>
          </>
        )}
        question={({ name }) => ({
          title: t("provider.removeQuestion", { name }),
          text: t("provider.removeText"),
          action: t("provider.remove"),
        })}
        revoke={(provider_id) => call(deleteIdentityProvider, { provider_id })}
      />
      {edited && (
        <ProviderDialog
          provider={edited === "new" ? undefined : edited}
          onSaved={reload}
          onClose={() => setEdited(undefined)}
        />
      )}
    </section>
  );
}

interface ProviderProps {
  provider: IdentityProvider;
  reload: () => Promise<void>;
}

function Provider({ provider, reload }: ProviderProps) {
  const { id: provider_id, name, issuer, redirect_uri, backchannel_logout_uri, is_enabled } = provider;
  const { saved, error, save } = useSaving();
  return (
    <>
      <div class={lists.name} dir="auto">
        {name}
      </div>
      <div class={lists.detail}>{issuer}</div>
      <dl class={styles.addresses}>
        <dt>{t("provider.redirect")}</dt>
        <dd>{redirect_uri}</dd>
        <dt>{t("provider.logout")}</dt>
        <dd>{backchannel_logout_uri}</dd>
      </dl>
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
function OnlyThis({ provider: { id: provider_id, name, is_only }, reload }: ProviderProps) {
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

function Test({ provider: { id: provider_id, name } }: { provider: IdentityProvider }) {
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
            <span>{result.problem ?? t("provider.test.fine")}</span>
          </div>
        )}
      </div>
      <FieldError id={`test-error-${provider_id}`} error={error} />
    </div>
  );
}
