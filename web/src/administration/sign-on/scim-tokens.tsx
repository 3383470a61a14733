/** The tokens with which directories provision the organization over SCIM. */
import "../../text/chunks/access.ts";
import "../../text/chunks/fields.ts";
import "../../text/chunks/organization.ts";
import "../../text/chunks/sign-on.ts";
import type { ScimToken } from "@skein/api/provisioning.ts";
import { createScimToken, deleteScimToken, getScimTokens } from "@skein/api/routes/provisioning.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { RevokedList } from "../../controls/revoked-list.tsx";
import { useAction } from "../../controls/use-action.ts";
import { elementId } from "../../descriptors/setting.ts";
import { useReloaded } from "../../parts/use-reloaded.ts";
import { t } from "../../text/t.ts";
import { shortTime, writtenTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import lists from "../lists.module.css";
import { Addresses } from "./addresses.tsx";
import { ShownOnce } from "./shown-once.tsx";

const load = async (): Promise<readonly ScimToken[]> => (await call(getScimTokens, {})).tokens;

export default function ScimTokens() {
  const tokens = useReloaded(load, undefined);
  const [isCreating, setCreating] = useState(false);
  return (
    <section id={elementId("create-scim-token")}>
      <p class={lists.note}>{t("scim.about")}</p>
      <Addresses addresses={[{ label: t("scim.url"), value: `${location.origin}/scim/v2` }]} />
      <div class={lists.add}>
        <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
          {t("organization.provisioning.create")}
        </Button>
      </div>
      <RevokedList
        label={t("scim.tokens")}
        items={tokens}
        none={t("scim.none")}
        render={({ name, created_at, last_used_at }) => (
          <>
            <div class={lists.name} dir="auto">
              {name}
            </div>
            <div class={lists.detail}>{t("scim.created", { time: writtenTime(created_at) })}</div>
            <div class={lists.detail}>
              {last_used_at === null ? t("access.neverUsed") : t("access.lastUsed", { time: shortTime(last_used_at) })}
            </div>
          </>
        )}
        actions={({ name }, ask) => (
          <Button kind="quiet" aria-label={t("access.revokeOne", { name })} onClick={ask}>
            {t("access.revoke")}
          </Button>
        )}
        question={({ name }) => ({
          title: t("access.revokeQuestion", { name }),
          text: t("scim.revokeText"),
          action: t("access.revoke"),
        })}
        revoke={(token_id) => call(deleteScimToken, { token_id })}
      />
      {isCreating && (
        <CreateDialog
          onClose={() => {
            setCreating(false);
            void tokens.reload();
          }}
        />
      )}
    </section>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [token, setToken] = useState<string>();
  const { isBusy, error, run } = useAction();
  if (token !== undefined)
    return <ShownOnce label={t("scim.token")} hint={t("scim.token.hint")} value={token} onClose={onClose} />;
  const create = async (): Promise<void> => {
    setToken((await call(createScimToken, { name: name.trim() })).token);
  };
  return (
    <Dialog
      title={t("organization.provisioning.create")}
      width="narrow"
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void run(create)}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("scim.create")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("access.name")}
        hint={t("scim.name.hint")}
        required
        autofocus
        maxLength={100}
        value={name}
        error={error}
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </Dialog>
  );
}
