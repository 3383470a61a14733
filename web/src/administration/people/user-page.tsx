/** One user: name, address, role, profile, groups, and what an administrator can and cannot do about the account. */
import "../../text/chunks/access.ts";
import "../../text/chunks/members.ts";
import "../../text/chunks/panel.ts";
import "../../text/chunks/roles.ts";
import { updateUserGroupMembers } from "@skein/api/routes/user-groups.ts";
import { getUser, updateUser } from "@skein/api/routes/users.ts";
import type { Role } from "@skein/api/users.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { KeyList } from "../../controls/key-list.tsx";
import { ProfileValue, type FieldValue } from "../../controls/profile-value.tsx";
import { SessionList } from "../../controls/session-list.tsx";
import { TextSetting } from "../../controls/text-setting.tsx";
import { useSaving } from "../../controls/use-saving.ts";
import type { Section } from "../../descriptors/setting.ts";
import { addressOf, openPanel } from "../../navigation/router.ts";
import { Nowhere } from "../../parts/nowhere.tsx";
import { useReloaded } from "../../parts/use-reloaded.ts";
import { otherPerson, readFactorsOf, resetFactorsOf } from "../../store/access.ts";
import { onEvent } from "../../store/events.ts";
import { mayAddToGroup, mayRemoveFromGroup } from "../../store/group-rules.ts";
import { groupName, groups } from "../../store/group-settings.ts";
import { findUser } from "../../store/people-lists.ts";
import type { Person } from "../../store/people.ts";
import { isAdministrator } from "../../store/roles.ts";
import { isProtected } from "../../store/second-factors.ts";
import { ownId, part } from "../../store/state.ts";
import {
  lockOfAddress,
  lockOfDeactivation,
  lockOfName,
  lockOfRole,
  lockOfUser,
  rolesFor,
} from "../../store/user-rules.ts";
import { Matcher } from "../../text/matching.ts";
import { t } from "../../text/t.ts";
import { dayName } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { RadioField } from "../../ui/choices.tsx";
import { ChipsField, type Chip } from "../../ui/chips.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { useFetched } from "../../parts/use-fetched.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { DeactivateDialog, ReactivateDialog } from "./activation-dialogs.tsx";
import { LastSeen, PersonName } from "./person-cells.tsx";
import styles from "./people.module.css";

export default function UserPage({ userId, section }: { userId: number; section: Section }) {
  const person = findUser(userId);
  /** Remembered, so that the dialog does not turn into its opposite when the event arrives. */
  const [asked, setAsked] = useState<"deactivate" | "reactivate">();
  if (!person || person.is_bot) return <Nowhere />;
  const lock = lockOfUser(person);
  const activationLock = person.isActive ? lockOfDeactivation(person) : lock;
  const close = (): void => setAsked(undefined);
  return (
    <div class={styles.page}>
      <BackLink section={section} />
      <header class={styles.head}>
        <h3>
          <PersonName person={person} />
        </h3>
        <Button icon="user" onClick={() => openPanel({ kind: "user", userId })}>
          {t("members.showProfile")}
        </Button>
      </header>
      <p class={styles.quiet}>
        {person.isActive ? (
          <>
            {t("members.lastActive")}: <LastSeen userId={userId} />
          </>
        ) : (
          t("person.deactivated")
        )}
        {person.date_joined !== undefined &&
          ` · ${t("members.joined")}: ${dayName(Date.parse(person.date_joined) / 1000)}`}
      </p>
      <Name person={person} />
      <Address person={person} />
      <RoleField person={person} />
      {person.isActive && <Groups person={person} />}
      <Profile person={person} lock={lock} />
      {isAdministrator() && person.user_id !== ownId.value && <Access userId={userId} lock={lock} />}
      <h3>{t("members.account")}</h3>
      <p class={styles.quiet}>{t("members.passwordHint")}</p>
      {activationLock !== undefined && <p class={styles.quiet}>{activationLock}</p>}
      <Button
        kind={person.isActive ? "danger" : "plain"}
        icon={person.isActive ? "user-x" : "rotate-ccw"}
        disabled={activationLock !== undefined}
        onClick={() => setAsked(person.isActive ? "deactivate" : "reactivate")}
      >
        {t(person.isActive ? "members.deactivate" : "members.reactivate")}
      </Button>
      {asked === "deactivate" && <DeactivateDialog person={person} onClose={close} />}
      {asked === "reactivate" && <ReactivateDialog person={person} onClose={close} />}
    </div>
  );
}

/** What the user is signed in with. Their own, people find in their settings. */
function Access({ userId, lock }: { userId: number; lock: string | undefined }) {
  const [holder] = useState(() => otherPerson(userId));
  const sessions = useReloaded(holder.sessions, userId);
  return (
    <>
      <h3>{t("access.keys")}</h3>
      {lock !== undefined && <p class={styles.quiet}>{lock}</p>}
      <KeyList holder={holder} lock={lock} />
      <h3>{t("access.sessions")}</h3>
      <SessionList holder={holder} sessions={sessions} lock={lock} />
      <SecondFactors userId={userId} lock={lock} />
    </>
  );
}

function SecondFactors({ userId, lock }: { userId: number; lock: string | undefined }) {
  const [isAsking, setAsking] = useState(false);
  const factors = useReloaded(() => readFactorsOf(userId), userId);
  if (factors.failure !== undefined) return <Failure error={factors.failure} onRetry={() => void factors.reload()} />;
  if (!factors.value) return null;
  const isOn = isProtected(factors.value);
  return (
    <>
      <h3>{t("access.factors")}</h3>
      <p class={styles.quiet}>{t(isOn ? "access.factors.on" : "access.factors.off")}</p>
      {isOn && (
        <Button disabled={lock !== undefined} onClick={() => setAsking(true)}>
          {t("access.factors.reset")}
        </Button>
      )}
      {isAsking && (
        <DangerDialog
          title={t("access.factors.reset")}
          action={t("access.factors.reset.action")}
          run={async () => {
            await resetFactorsOf(userId);
            await factors.reload();
          }}
          onClose={() => setAsking(false)}
        >
          {t("access.factors.reset.effect")}
        </DangerDialog>
      )}
    </>
  );
}

export const BackLink = ({ section }: { section: Section }) => (
  <a class={styles.back} href={addressOf({ kind: "organization", section: section.id })}>
    <Icon name="arrow-left" size={14} /> {t("members.backToList")}
  </a>
);

function Name({ person: { user_id, full_name } }: { person: Person }) {
  const { save, ...state } = useSaving();
  const lock = lockOfName();
  return (
    <TextSetting
      {...state}
      label={t("members.name")}
      hint={lock}
      disabled={lock !== undefined}
      control={{ kind: "text", maxLength: 100, isRequired: true }}
      value={full_name}
      onChange={(name) => void save(() => call(updateUser, { user_id, full_name: name }))}
    />
  );
}

function Address({ person: { user_id, delivery_email } }: { person: Person }) {
  const { save, ...state } = useSaving();
  const lock = lockOfAddress();
  if (delivery_email === null) return null;
  return (
    <TextSetting
      {...state}
      type="email"
      label={t("members.address")}
      hint={lock ?? t("members.addressHint")}
      disabled={lock !== undefined}
      control={{ kind: "text", maxLength: 254, isRequired: true }}
      value={delivery_email}
      onChange={(email) => void save(() => call(updateUser, { user_id, new_email: email }))}
    />
  );
}

function RoleField({ person }: { person: Person }) {
  const { save, ...state } = useSaving();
  const [ownNext, setOwnNext] = useState<Role>();
  const lock = lockOfRole(person);
  const change = (role: Role) => call(updateUser, { user_id: person.user_id, role });
  return (
    <>
      <RadioField
        {...state}
        label={t("members.role")}
        value={String(person.role)}
        disabled={lock !== undefined}
        options={rolesFor(person).map((role) => ({
          value: String(role),
          label: t(`role.one.${role}`),
          hint: t(`members.roleHint.${role}`),
        }))}
        onChange={(value) => {
          const role = Number(value) as Role; // one of the options
          if (person.user_id === ownId.value) setOwnNext(role);
          else void save(() => change(role));
        }}
      />
      {lock !== undefined && <p class={styles.quiet}>{lock}</p>}
      {ownNext !== undefined && (
        <DangerDialog
          title={t("members.changeOwnRole")}
          action={t("members.changeRole")}
          run={() => change(ownNext)}
          onClose={() => setOwnNext(undefined)}
        >
          <p>{t("members.changeOwnRoleHint", { role: t(`role.one.${ownNext}`) })}</p>
        </DangerDialog>
      )}
    </>
  );
}

const groupChip = ({ id, name }: { id: number; name: string }): Chip => ({
  key: String(id),
  label: name,
  icon: "users-round",
});

/** The groups that the user is a direct member of. Those of the role follow from it. */
function Groups({ person: { user_id } }: { person: Person }) {
  const { save, ...state } = useSaving();
  const own = groups().filter(({ is_system_group, deactivated }) => !is_system_group && !deactivated);
  const joined = own.filter(({ members }) => members.includes(user_id));
  const addable = own.filter((group) => !joined.includes(group) && mayAddToGroup(group));
  const isLocked = addable.length === 0 && !joined.some(mayRemoveFromGroup);
  const change = async (chips: readonly Chip[]): Promise<void> => {
    const wanted = new Set(chips.map(({ key }) => Number(key)));
    for (const group of own) {
      const isIn = joined.includes(group);
      if (isIn === wanted.has(group.id)) continue;
      await call(updateUserGroupMembers, {
        user_group_id: group.id,
        ...(isIn ? { delete: [user_id] } : { add: [user_id] }),
      });
    }
  };
  return (
    <ChipsField
      {...state}
      label={t("groups.title")}
      hint={t("members.groupsHint")}
      chips={joined.map(groupChip)}
      disabled={isLocked}
      placeholder={t("members.noGroups")}
      suggest={(query) => new Matcher(addable, groupName).find(query, 8).map(groupChip)}
      onChange={(chips) => void save(() => change(chips))}
    />
  );
}

/** Fetched, since profiles are not part of the state, and again when somebody changes it. */
function Profile({ person: { user_id }, lock }: { person: Person; lock: string | undefined }) {
  const fields = part("custom_profile_fields").value ?? [];
  const [change, setChange] = useState(0);
  const [last, setLast] = useState<Readonly<Record<string, { value: string }>>>();
  const [fetched, retry] = useFetched(async () => {
    const { user } = await call(getUser, { user_id, include_custom_profile_fields: true });
    setLast(user.profile_data ?? {});
  }, change);
  useEffect(
    () =>
      onEvent((event) => {
        if (event.type === "realm_user" && event.op === "update" && event.person.user_id === user_id)
          if ("custom_profile_field" in event.person) setChange((count) => count + 1);
      }),
    [user_id],
  );
  if (fields.length === 0) return null;
  return (
    <section aria-labelledby="user-profile">
      <h3 id="user-profile">{t("members.profile")}</h3>
      {fetched.state === "failed" && <Failure error={fetched.error} onRetry={retry} />}
      {last === undefined && fetched.state === "loading" && <Skeleton rows={fields.length} height={56} />}
      {last !== undefined &&
        fields.map((field) => (
          <ProfileValue
            key={field.id}
            field={field}
            value={last[field.id]?.value ?? ""}
            lock={lock}
            save={(value: FieldValue) => call(updateUser, { user_id, profile_data: [{ id: field.id, value }] })}
          />
        ))}
    </section>
  );
}
