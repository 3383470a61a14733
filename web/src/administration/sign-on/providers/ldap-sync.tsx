/** How the accounts of an LDAP provider follow the directory: the last sync, what the next one would change, and a sync now. */
import "../../../text/chunks/fields.ts";
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider, LdapChange } from "@skein/api/identity-providers.ts";
import type { Success } from "@skein/api/client.ts";
import type { syncIdentityProvider as declaration } from "@skein/api/identity-providers.ts";
import { syncIdentityProvider } from "@skein/api/routes/identity-providers.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../../api/call.ts";
import { useAction } from "../../../controls/use-action.ts";
import { findGroup } from "../../../store/group-settings.ts";
import { findPerson } from "../../../store/people.ts";
import { t } from "../../../text/t.ts";
import { shortTime } from "../../../text/time.ts";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { FieldError } from "../../../ui/field.tsx";
import { Icon } from "../../../ui/icon.tsx";
import styles from "../sign-on.module.css";

type Sync = NonNullable<IdentityProvider["ldap"]>["sync"];
type Plan = NonNullable<Success<typeof declaration>["plan"]>;

interface LdapSyncProps {
  provider: IdentityProvider;
  sync: Sync;
  reload: () => Promise<void>;
}

/** There are no events of syncs. */
const refreshMilliseconds = 2000;

export function LdapSync({ provider: { id: provider_id, name }, sync, reload }: LdapSyncProps) {
  const [plan, setPlan] = useState<Plan>();
  /** The end of the sync before the one that was begun here. */
  const [before, setBefore] = useState<{ finished_at: number | undefined }>();
  const { isBusy, error, run } = useAction();
  const finishedAt = sync.last_result?.finished_at;
  const isWaiting = before !== undefined && before.finished_at === finishedAt;
  useEffect(() => {
    if (!isWaiting) return undefined;
    const timer = setInterval(() => void reload(), refreshMilliseconds);
    return () => clearInterval(timer);
  }, [isWaiting]);
  const look = async (): Promise<void> => {
    const { plan: made } = await call(syncIdentityProvider, { provider_id, dry_run: true }, { timeout: 120_000 });
    setPlan(made ?? undefined);
  };
  const begin = async (): Promise<void> => {
    await call(syncIdentityProvider, { provider_id, dry_run: false });
    setBefore({ finished_at: finishedAt });
    setPlan(undefined);
  };
  return (
    <>
      <div role="status">
        {isWaiting ? <div class={styles.state}>{t("provider.sync.waiting")}</div> : <State sync={sync} />}
      </div>
      <div class={styles.test}>
        <Button busy={isBusy} aria-label={t("provider.sync.previewOne", { name })} onClick={() => void run(look)}>
          {t("provider.sync.preview")}
        </Button>
        <FieldError id={`sync-error-${provider_id}`} error={error} />
      </div>
      {plan && <PlanDialog plan={plan} begin={begin} onClose={() => setPlan(undefined)} />}
    </>
  );
}

function State({ sync: { last_result, is_enabled } }: { sync: Sync }) {
  if (!last_result) return <div class={styles.state}>{t(is_enabled ? "provider.sync.none" : "provider.sync.off")}</div>;
  const { problem, finished_at, people, changes } = last_result;
  const time = shortTime(finished_at);
  return (
    <div class={problem === null ? styles.done : styles.failed}>
      <Icon name={problem === null ? "circle-check" : "circle-alert"} size={14} />
      <span>
        {problem === null
          ? t("provider.sync.done", { time, people, count: changes })
          : t("provider.sync.failed", { time, problem })}
      </span>
    </div>
  );
}

interface PlanDialogProps {
  plan: Plan;
  begin: () => Promise<void>;
  onClose: () => void;
}

/** What a sync would change, and a button that has it done. */
function PlanDialog({ plan, begin, onClose }: PlanDialogProps) {
  const { isBusy, error, run } = useAction();
  const { people, accounts, change_count, deactivations, changes, problem } = plan;
  return (
    <Dialog
      title={t("provider.sync.plan")}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button
            kind="primary"
            busy={isBusy}
            aria-disabled={problem !== null}
            onClick={() => problem === null && void run(begin)}
          >
            {t("provider.sync.now")}
          </Button>
        </>
      }
    >
      <p>{t("provider.sync.found", { people, accounts })}</p>
      <p>
        {change_count === 0
          ? t("provider.sync.noChanges")
          : t("provider.sync.changes", { count: change_count, deactivations })}
      </p>
      <FieldError id="sync-plan-problem" error={problem ?? error} />
      <ul class={styles.changes}>
        {changes.map((change, index) => (
          <li key={index} dir="auto">
            {describe(change)}
          </li>
        ))}
      </ul>
      {change_count > changes.length && <p>{t("provider.sync.more", { count: change_count - changes.length })}</p>}
    </Dialog>
  );
}

function describe({ user_id, kind, before, after, user_group_id }: LdapChange): string {
  return t(`provider.change.${kind}`, {
    person: findPerson(user_id).full_name,
    before: before ?? "",
    after: after ?? "",
    group: user_group_id === null ? "" : (findGroup(user_group_id)?.name ?? String(user_group_id)),
  });
}
