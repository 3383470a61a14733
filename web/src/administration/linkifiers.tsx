/** Linkifiers: patterns that become links in messages and topics. */
import "../text/chunks/controls.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { Linkifier } from "@skein/api/linkifiers.ts";
import { removeLinkifier } from "@skein/api/routes/linkifiers.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { orderLinkifiers } from "../store/organization.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { FieldError } from "../ui/field.tsx";
import { LinkifierDialog } from "./linkifier-dialog.tsx";
import { LinkifierTest } from "./linkifier-test.tsx";
import styles from "./lists.module.css";

export default function Linkifiers() {
  const [edited, setEdited] = useState<Linkifier | "new">();
  const [removed, setRemoved] = useState<Linkifier>();
  const { error, save } = useSaving();
  const linkifiers = part("realm_linkifiers").value ?? [];
  const mayChange = isAdministrator();
  return (
    <>
      {mayChange ? (
        <div id={elementId("add-linkifier")} class={styles.add}>
          <Button icon="plus" onClick={() => setEdited("new")}>
            {t("organization.linkifiers.add")}
          </Button>
        </div>
      ) : (
        <p class={styles.note}>{t("setting.administratorsOnly")}</p>
      )}
      {linkifiers.length === 0 ? (
        <Empty icon="link" title={t("organization.linkifiers.none")}>
          <p>{t("organization.linkifiers.none.hint")}</p>
        </Empty>
      ) : (
        <>
          {linkifiers.length > 1 && <p class={styles.note}>{t("organization.linkifiers.order")}</p>}
          <ItemList
            label={t("organization.linkifiers")}
            items={linkifiers}
            keyOf={({ id }) => id}
            nameOf={({ pattern }) => pattern}
            render={({ pattern, url_template }) => (
              <>
                <div class={styles.code}>{pattern}</div>
                <div class={styles.detail}>{url_template}</div>
              </>
            )}
            onReorder={
              mayChange && linkifiers.length > 1 ? (order) => void save(() => orderLinkifiers(order)) : undefined
            }
            {...(mayChange
              ? {
                  actions: (linkifier: Linkifier) => (
                    <>
                      <IconButton
                        icon="pencil"
                        label={t("organization.linkifiers.edit", { pattern: linkifier.pattern })}
                        onClick={() => setEdited(linkifier)}
                      />
                      <IconButton
                        icon="trash-2"
                        label={t("organization.linkifiers.remove", { pattern: linkifier.pattern })}
                        onClick={() => setRemoved(linkifier)}
                      />
                    </>
                  ),
                }
              : {})}
          />
          <FieldError id="linkifiers-error" error={error} />
          <section class={styles.group}>
            <h3>{t("organization.linkifiers.test")}</h3>
            <LinkifierTest linkifiers={linkifiers} />
          </section>
        </>
      )}
      {edited && (
        <LinkifierDialog
          linkifiers={linkifiers}
          edited={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {removed && (
        <DangerDialog
          title={t("organization.linkifiers.remove", { pattern: removed.pattern })}
          action={t("organization.remove")}
          run={() => call(removeLinkifier, { filter_id: removed.id })}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t("organization.linkifiers.removeText")}</p>
        </DangerDialog>
      )}
    </>
  );
}
