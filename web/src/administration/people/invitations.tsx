/** Pending invitations: the reader's own, for administrators all. */
import "../../text/chunks/roles.ts";
import "../../text/chunks/controls.ts";
import "../../text/chunks/members.ts";
import "../../text/chunks/people.ts";
import { computed } from "@preact/signals";
import type { Invitation } from "@skein/api/invitations.ts";
import { resendInvitation, revokeInvitation, revokeInvitationLink } from "@skein/api/routes/invitations.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import type { SectionViewProps } from "../../controls/settings-page.tsx";
import { Table, type Column } from "../../controls/table.tsx";
import { openDialog } from "../../navigation/dialogs.ts";
import { followInvitations, invitations, invitationsFailure, loadInvitations } from "../../store/invitations.ts";
import { mayInvite } from "../../store/inviting.ts";
import { Listing, sortText } from "../../store/listing.ts";
import { findPerson, peopleById } from "../../store/people.ts";
import { reasonOf } from "../../store/reasons.ts";
import { isAdministrator, isOwner, roles } from "../../store/roles.ts";
import { toast } from "../../store/toasts.ts";
import { roleOf } from "../../store/user-rules.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Icon } from "../../ui/icon.tsx";
import type { MenuEntry } from "../../ui/menu.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import styles from "./people.module.css";
import { Time } from "./person-cells.tsx";

const nameOf = ({ email, id }: Invitation): string => email ?? t("invitations.link", { id: String(id) });
const inviterName = ({ invited_by_user_id: id }: Invitation): string => peopleById.value.get(id)?.full_name ?? "";

const listing = new Listing<Invitation>({
  items: computed(() => invitations.value ?? []),
  // E-mail invitations and links are numbered separately.
  keyOf: ({ id, is_multiuse }) => `${is_multiuse ? "link" : "mail"} ${id}`,
  textOf: (invitation) => `${nameOf(invitation)}\n${inviterName(invitation)}`,
  addressOf: ({ email }) => email ?? "",
  sorts: {
    name: (invitation) => sortText(nameOf(invitation)),
    inviter: (invitation) => sortText(inviterName(invitation)),
    role: ({ invited_as }) => invited_as,
    sent: ({ invited }) => invited,
    expires: ({ expiry_date }) => expiry_date ?? Infinity,
  },
});

const Inviter = ({ userId }: { userId: number }) => <>{findPerson(userId).full_name || t("person.unknown")}</>;

const columns = (): Column<Invitation>[] => [
  {
    id: "name",
    label: t("invitations.to"),
    width: "2fr",
    render: (invitation) => (
      <span class={styles.person}>
        <Icon name={invitation.is_multiuse ? "link" : "mail"} />
        <span class={styles.name}>{nameOf(invitation)}</span>
      </span>
    ),
  },
  ...(isAdministrator()
    ? [
        {
          id: "inviter",
          label: t("invitations.inviter"),
          width: "1.2fr",
          isLabelled: true,
          card: "line" as const,
          render: ({ invited_by_user_id }: Invitation) => <Inviter userId={invited_by_user_id} />,
        },
      ]
    : []),
  {
    id: "role",
    label: t("members.role"),
    width: "7.5rem",
    render: ({ invited_as }) => t(`role.one.${roleOf(invited_as)}`),
  },
  {
    id: "sent",
    label: t("invitations.sent"),
    card: "none",
    width: "6.5rem",
    isLabelled: true,
    render: ({ invited }) => <Time seconds={invited} />,
  },
  {
    id: "expires",
    label: t("invite.expires"),
    width: "6.5rem",
    isLabelled: true,
    render: ({ expiry_date }) => (expiry_date === null ? t("invite.never") : <Time seconds={expiry_date} />),
  },
];

const revoke = ({ id, is_multiuse }: Invitation) =>
  is_multiuse ? call(revokeInvitationLink, { invite_id: id }) : call(revokeInvitation, { invite_id: id });

const copy = (url: string): void =>
  void navigator.clipboard.writeText(url).then(() => toast(t("conversation.linkCopied")));

export default function Invitations(_: SectionViewProps) {
  const [revoked, setRevoked] = useState<readonly Invitation[]>();
  const [isSending, setSending] = useState(false);
  useEffect(followInvitations, []);
  /** Invitations to the role of owner are for owners. */
  const isManaged = ({ invited_as }: Invitation): boolean => invited_as !== roles.owner || isOwner();
  const resend = async (chosen: readonly Invitation[]): Promise<void> => {
    setSending(true);
    const failures: unknown[] = [];
    for (const { id } of chosen)
      await call(resendInvitation, { invite_id: id }).catch((error: unknown) => failures.push(error));
    setSending(false);
    const [failure] = failures;
    if (failures.length < chosen.length) toast(t("invitations.resent", { count: chosen.length - failures.length }));
    if (failure !== undefined) toast(reasonOf(failure), { kind: "danger" });
  };
  const actionsOf = (invitation: Invitation): MenuEntry[] => {
    const { link_url, is_multiuse } = invitation;
    const disabled = !isManaged(invitation);
    return [
      ...(is_multiuse
        ? link_url === undefined
          ? []
          : [{ label: t("invitations.copy"), icon: "copy" as const, onSelect: () => copy(link_url) }]
        : [
            {
              label: t("invitations.resend"),
              icon: "send-horizontal" as const,
              hint: t("invitations.resendHint"),
              disabled,
              onSelect: () => void resend([invitation]),
            },
          ]),
      {
        label: t("invitations.revoke"),
        icon: "x",
        isDangerous: true,
        disabled,
        ...(disabled ? { hint: t("setting.ownersOnly") } : {}),
        onSelect: () => setRevoked([invitation]),
      },
    ];
  };
  const invite = mayInvite() && (
    <Button kind="primary" icon="user-plus" onClick={() => openDialog("invite")}>
      {t("invite.title")}
    </Button>
  );
  const failure = invitationsFailure.value;
  if (invitations.value === undefined)
    return failure === undefined ? (
      <Skeleton rows={6} height={44} />
    ) : (
      <Failure error={failure} onRetry={() => void loadInvitations()} />
    );
  return (
    <>
      <div class={styles.above}>
        {invite}
        <span class={styles.quiet}>{t(isAdministrator() ? "invitations.allHint" : "invitations.ownHint")}</span>
      </div>
      {failure !== undefined && <Failure error={failure} onRetry={() => void loadInvitations()} />}
      <Table
        id="invitations"
        label={t("members.invitations")}
        listing={listing}
        columns={columns()}
        sortedBy="sent"
        isDescending
        nameOf={nameOf}
        filterLabel={t("invitations.find")}
        countOf={(count) => t("invitations.count", { count })}
        actionsOf={actionsOf}
        bulkActions={(selected, clear) => {
          const managed = selected.filter(isManaged);
          const mails = managed.filter(({ is_multiuse }) => !is_multiuse);
          return (
            <>
              {mails.length > 0 && (
                <Button icon="send-horizontal" busy={isSending} onClick={() => void resend(mails).then(clear)}>
                  {t("invitations.resend")}
                </Button>
              )}
              {managed.length > 0 && (
                <Button kind="danger" icon="x" onClick={() => setRevoked(managed)}>
                  {t("invitations.revoke")}
                </Button>
              )}
            </>
          );
        }}
        empty={
          <Empty icon="mail" title={t("invitations.none")}>
            <p>{t("invitations.noneHint")}</p>
          </Empty>
        }
      />
      {revoked && (
        <DangerDialog
          title={t("invitations.revokeCount", { count: revoked.length })}
          action={t("invitations.revoke")}
          run={async () => {
            for (const invitation of revoked) await revoke(invitation);
          }}
          onClose={() => setRevoked(undefined)}
        >
          <ul class={styles.consequences}>
            {revoked.slice(0, 10).map((invitation) => (
              <li key={listing.keyOf(invitation)}>{nameOf(invitation)}</li>
            ))}
          </ul>
          <p>{t("invitations.revokeHint")}</p>
        </DangerDialog>
      )}
    </>
  );
}
