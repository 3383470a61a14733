/** Active or deactivated users, and the page of one of them. */
import "../../text/chunks/roles.ts";
import "../../text/chunks/members.ts";
import { useState } from "preact/hooks";
import { Table, ToolSelect, type Column } from "../../controls/table.tsx";
import type { SectionViewProps } from "../../controls/settings-page.tsx";
import { addressOf, go, openPanel } from "../../navigation/router.ts";
import { openDialog } from "../../navigation/dialogs.ts";
import { mayInvite } from "../../store/inviting.ts";
import { deactivatedListing, userListing } from "../../store/people-lists.ts";
import type { Person } from "../../store/people.ts";
import { isAdministrator } from "../../store/roles.ts";
import { allRoles, lockOfDeactivation, lockOfUser, roleOf } from "../../store/user-rules.ts";
import { t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import type { MenuEntry } from "../../ui/menu.tsx";
import { addToGroupJob, deactivateJob, reactivateJob, roleJob, type Job } from "./bulk-jobs.tsx";
import { BulkDialog } from "./bulk-dialog.tsx";
import { JoinedTime, LastSeen, PersonName } from "./person-cells.tsx";
import { DeactivateDialog, ReactivateDialog } from "./activation-dialogs.tsx";
import styles from "./people.module.css";
import UserPage from "./user-page.tsx";

const columns = (isActive: boolean): Column<Person>[] => [
  { id: "name", label: t("members.name"), width: "2.2fr", render: (person) => <PersonName person={person} /> },
  {
    id: "address",
    label: t("members.address"),
    width: "2fr",
    card: "line",
    render: ({ delivery_email }) => delivery_email ?? t("members.hiddenAddress"),
  },
  { id: "role", label: t("members.role"), width: "7.5rem", render: ({ role }) => t(`role.one.${roleOf(role)}`) },
  ...(isActive
    ? [
        {
          id: "seen",
          label: t("members.lastActive"),
          width: "7.5rem",
          isLabelled: true,
          render: ({ user_id }: Person) => <LastSeen userId={user_id} />,
        },
      ]
    : []),
  {
    id: "joined",
    label: t("members.joined"),
    width: "7rem",
    card: "none",
    render: ({ date_joined }) => <JoinedTime date={date_joined} />,
  },
];

type Opened =
  | { kind: "deactivate" | "reactivate"; person: Person }
  | { kind: "bulk"; job: Job; people: readonly Person[] };

export default function Users({ section, item }: SectionViewProps) {
  const isActive = section.id === "users";
  if (item !== undefined && /^\d+$/.test(item)) return <UserPage userId={Number(item)} section={section} />;
  return <UserTable key={section.id} section={section.id} isActive={isActive} />;
}

function UserTable({ section, isActive }: { section: string; isActive: boolean }) {
  const [role, setRole] = useState("");
  const [isShown, setShown] = useState<(person: Person) => boolean>();
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const isManaged = isAdministrator();
  const pageOf = ({ user_id }: Person) => addressOf({ kind: "organization", section, item: String(user_id) });
  const actionsOf = (person: Person): MenuEntry[] => {
    const lock = lockOfUser(person);
    const activationLock = isActive ? lockOfDeactivation(person) : lock;
    return [
      {
        label: t("members.showProfile"),
        icon: "user",
        onSelect: () => openPanel({ kind: "user", userId: person.user_id }),
      },
      ...(isManaged
        ? [
            { label: t("members.manage"), icon: "pencil" as const, onSelect: () => go(pageOf(person)) },
            "line" as const,
            {
              label: t(isActive ? "members.deactivate" : "members.reactivate"),
              icon: isActive ? ("user-x" as const) : ("rotate-ccw" as const),
              isDangerous: isActive,
              disabled: activationLock !== undefined,
              ...(activationLock === undefined ? {} : { hint: activationLock }),
              onSelect: () => setOpened({ kind: isActive ? "deactivate" : "reactivate", person }),
            },
          ]
        : []),
    ];
  };
  const jobs = isActive ? [roleJob, addToGroupJob, deactivateJob] : [reactivateJob];
  return (
    <>
      {isActive && mayInvite() && (
        <div class={styles.above}>
          <Button icon="user-plus" onClick={() => openDialog("invite")}>
            {t("invite.title")}
          </Button>
        </div>
      )}
      <Table
        id={section}
        label={t(isActive ? "members.users" : "members.deactivatedUsers")}
        listing={isActive ? userListing : deactivatedListing}
        columns={columns(isActive)}
        sortedBy="name"
        nameOf={({ full_name }) => full_name}
        filterLabel={t("members.findUser")}
        countOf={(count) => t("members.userCount", { count })}
        filters={
          <ToolSelect
            label={t("members.filterByRole")}
            value={role}
            options={[
              { value: "", label: t("members.anyRole") },
              ...allRoles.map((each) => ({ value: String(each), label: t(`role.one.${each}`) })),
            ]}
            onChange={(value) => {
              setRole(value);
              setShown(value === "" ? undefined : () => (person: Person) => String(person.role) === value);
            }}
          />
        }
        isShown={isShown}
        onOpen={(person) => (isManaged ? go(pageOf(person)) : openPanel({ kind: "user", userId: person.user_id }))}
        actionsOf={actionsOf}
        bulkActions={
          isManaged
            ? (people) =>
                jobs
                  .filter(({ isOffered }) => isOffered?.() ?? true)
                  .map((job) => (
                    <Button
                      key={job.action}
                      kind={job.isDangerous ? "danger" : "plain"}
                      icon={job.icon}
                      onClick={() => setOpened({ kind: "bulk", job, people })}
                    >
                      {t(job.action)}
                    </Button>
                  ))
            : undefined
        }
        empty={
          <Empty icon="users" title={t(isActive ? "members.noUsers" : "members.noDeactivatedUsers")}>
            {!isActive && <p>{t("members.noDeactivatedUsersHint")}</p>}
          </Empty>
        }
      />
      {opened?.kind === "deactivate" && <DeactivateDialog person={opened.person} onClose={close} />}
      {opened?.kind === "reactivate" && <ReactivateDialog person={opened.person} onClose={close} />}
      {opened?.kind === "bulk" && <BulkDialog job={opened.job} people={opened.people} onClose={close} />}
    </>
  );
}
