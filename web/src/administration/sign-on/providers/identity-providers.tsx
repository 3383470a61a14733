/** Identity providers of the organization, of all kinds. */
import "../../../text/chunks/organization.ts";
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { deleteIdentityProvider, getIdentityProviders } from "@skein/api/routes/identity-providers.ts";
import { useState } from "preact/hooks";
import { call } from "../../../api/call.ts";
import { RevokedList } from "../../../controls/revoked-list.tsx";
import { elementId } from "../../../descriptors/setting.ts";
import { useReloaded } from "../../../parts/use-reloaded.ts";
import { t } from "../../../text/t.ts";
import { Button } from "../../../ui/button.tsx";
import lists from "../../lists.module.css";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ProviderRow } from "./provider-row.tsx";

const load = async (): Promise<readonly IdentityProvider[]> =>
  (await call(getIdentityProviders, {})).identity_providers;

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
        render={(provider) => <ProviderRow provider={provider} reload={reload} />}
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
