/** The domains whose addresses may join. */
import "../text/chunks/controls.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { RealmDomain } from "@skein/api/realm-domains.ts";
import { addRealmDomain, removeRealmDomain } from "@skein/api/routes/realm-domains.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { useAction } from "../controls/use-action.ts";
import { elementId } from "../descriptors/setting.ts";
import { useSaving } from "../controls/use-saving.ts";
import { includeSubdomains } from "../store/organization.ts";
import { isOwner } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CheckField } from "../ui/choices.tsx";
import { TextField } from "../ui/field.tsx";
import styles from "./lists.module.css";

const maxDomainLength = 80;

export function Domains() {
  const domains = part("realm_domains").value ?? [];
  const isRestricted = part("realm_emails_restricted_to_domains").value === true;
  const [removed, setRemoved] = useState<RealmDomain>();
  return (
    <section id={elementId("domains")} class={styles.group}>
      <h3>{t("organization.domains")}</h3>
      <p class={styles.note}>{t(isRestricted ? "organization.domains.used" : "organization.domains.unused")}</p>
      {domains.length === 0 ? (
        <p class={styles.note}>{t("organization.domains.none")}</p>
      ) : (
        <ItemList
          label={t("organization.domains")}
          items={domains}
          keyOf={({ domain }) => domain}
          nameOf={({ domain }) => domain}
          render={(domain) => <Domain domain={domain} />}
          {...(isOwner()
            ? {
                actions: (domain: RealmDomain) => (
                  <IconButton
                    icon="trash-2"
                    label={t("organization.domains.remove", { domain: domain.domain })}
                    onClick={() => setRemoved(domain)}
                  />
                ),
              }
            : {})}
        />
      )}
      {isOwner() ? <NewDomain /> : <p class={styles.note}>{t("setting.ownersOnly")}</p>}
      {removed && (
        <DangerDialog
          title={t("organization.domains.remove", { domain: removed.domain })}
          action={t("organization.remove")}
          run={() => call(removeRealmDomain, { domain: removed.domain })}
          onClose={() => setRemoved(undefined)}
        >
          <p>
            {t(
              isRestricted && domains.length === 1
                ? "organization.domains.removeLast"
                : "organization.domains.removeText",
              { domain: removed.domain },
            )}
          </p>
        </DangerDialog>
      )}
    </section>
  );
}

function Domain({ domain: { domain, allow_subdomains } }: { domain: RealmDomain }) {
  const { saved, error, save } = useSaving();
  return (
    <>
      <div class={styles.name}>{domain}</div>
      <div class={styles.choice}>
        <CheckField
          label={t("organization.domains.subdomains")}
          checked={allow_subdomains}
          disabled={!isOwner()}
          saved={saved}
          error={error}
          onChange={(wanted) => void save(() => includeSubdomains({ domain, allow_subdomains: wanted }))}
        />
      </div>
    </>
  );
}

function NewDomain() {
  const [domain, setDomain] = useState("");
  const [hasSubdomains, setSubdomains] = useState(false);
  const { isBusy, error, run } = useAction();
  const add = async (): Promise<void> => {
    if (domain.trim() === "") return;
    const isAdded = await run(() => call(addRealmDomain, { domain, allow_subdomains: hasSubdomains }));
    if (!isAdded) return;
    setDomain("");
    setSubdomains(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <TextField
        label={t("organization.domains.new")}
        value={domain}
        placeholder="example.com"
        maxLength={maxDomainLength}
        autocomplete="off"
        error={error}
        onInput={(event) => setDomain(event.currentTarget.value)}
      />
      <CheckField label={t("organization.domains.subdomains")} checked={hasSubdomains} onChange={setSubdomains} />
      <Button type="submit" icon="plus" busy={isBusy}>
        {t("organization.domains.add")}
      </Button>
    </form>
  );
}
