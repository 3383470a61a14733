/** Asks before an account is deactivated or reactivated, and says what happens to what belongs to it. */
import "../../text/chunks/members.ts";
import { deactivateUser, reactivateUser } from "@skein/api/routes/users.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { followInvitations, invitations } from "../../store/invitations.ts";
import { botsOf } from "../../store/people-lists.ts";
import type { Person } from "../../store/people.ts";
import { ownId } from "../../store/state.ts";
import { toast } from "../../store/toasts.ts";
import { listNames } from "../../text/names.ts";
import { t } from "../../text/t.ts";
import { CheckField } from "../../ui/choices.tsx";
import { TextArea } from "../../ui/field.tsx";
import styles from "./people.module.css";

interface ActivationProps {
  person: Person;
  onClose: () => void;
}

const maxComment = 2000;

export function DeactivateDialog({ person: { user_id, full_name: name }, onClose }: ActivationProps) {
  const [isMailed, setMailed] = useState(false);
  const [comment, setComment] = useState("");
  useEffect(followInvitations, []);
  const bots = botsOf(user_id);
  const sent = invitations.value?.filter(({ invited_by_user_id }) => invited_by_user_id === user_id).length ?? 0;
  return (
    <DangerDialog
      title={t("members.deactivateOne", { name })}
      action={t("members.deactivate")}
      run={async () => {
        await call(deactivateUser, {
          user_id,
          ...(isMailed ? { deactivation_notification_comment: comment } : {}),
        });
        toast(t("members.wasDeactivated", { name }));
      }}
      onClose={onClose}
    >
      {user_id === ownId.value && <p class={styles.warning}>{t("members.deactivatesYou")}</p>}
      <ul class={styles.consequences}>
        <li>{t("members.endsSessions")}</li>
        {bots.length > 0 && (
          <li>
            {t("members.endsBots", { count: bots.length })}{" "}
            {listNames(
              bots.map(({ full_name }) => full_name),
              6,
            )}
          </li>
        )}
        {sent > 0 && <li>{t("members.revokesInvitations", { count: sent })}</li>}
        <li>{t("members.endsScheduled")}</li>
        <li>{t("members.keepsMessages")}</li>
      </ul>
      <CheckField
        label={t("members.notifyByMail")}
        hint={t("members.notifyByMailHint")}
        checked={isMailed}
        onChange={setMailed}
      />
      {isMailed && (
        <TextArea
          label={t("members.comment")}
          isOptional
          maxLength={maxComment}
          value={comment}
          onInput={(event) => setComment(event.currentTarget.value)}
        />
      )}
    </DangerDialog>
  );
}

export const ReactivateDialog = ({ person: { user_id, full_name: name, is_bot }, onClose }: ActivationProps) => (
  <DangerDialog
    title={t("members.reactivateOne", { name })}
    action={t("members.reactivate")}
    run={async () => {
      await call(reactivateUser, { user_id });
      toast(t("members.wasReactivated", { name }));
    }}
    onClose={onClose}
  >
    <ul class={styles.consequences}>
      {is_bot ? (
        <>
          <li>{t("bots.returnsWithKey")}</li>
          <li>{t("bots.returnsToYou")}</li>
        </>
      ) : (
        <>
          <li>{t("members.returnsRights")}</li>
          <li>{t("members.returnsWithoutBots")}</li>
        </>
      )}
    </ul>
  </DangerDialog>
);
