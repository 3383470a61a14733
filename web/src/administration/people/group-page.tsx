/** One user group: its texts, its members, its permissions, where it is used, and its end. */
import "../../text/chunks/controls.ts";
import "../../text/chunks/members.ts";
import { deactivateUserGroup, updateUserGroup } from "@skein/api/routes/user-groups.ts";
import type { UserGroup } from "@skein/api/user-groups.ts";
import { useMemo, useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import { DangerDialog } from "../../controls/danger-dialog.tsx";
import { SettingControl } from "../../controls/setting-control.tsx";
import { SettingGroups } from "../../controls/settings-section.tsx";
import { useSaving } from "../../controls/use-saving.ts";
import { groupPermissions, groupTexts } from "../../descriptors/groups.ts";
import type { Section } from "../../descriptors/setting.ts";
import { Nowhere } from "../../parts/nowhere.tsx";
import { suggestPeople } from "../../parts/people-chips.ts";
import {
  isInGroup,
  isManagedElsewhere,
  mayAddToGroup,
  mayBeSubgroup,
  mayJoinGroup,
  mayLeaveGroup,
  mayManageGroup,
  mayRemoveFromGroup,
  membersOfGroup,
  usesOfGroup,
  type GroupMember,
} from "../../store/group-rules.ts";
import { findGroup, groupName, groups } from "../../store/group-settings.ts";
import { peopleById } from "../../store/people.ts";
import { reasonOf } from "../../store/reasons.ts";
import { part } from "../../store/state.ts";
import { toast } from "../../store/toasts.ts";
import { Matcher } from "../../text/matching.ts";
import { listNames } from "../../text/names.ts";
import { t } from "../../text/t.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { ChipsField, type Chip } from "../../ui/chips.tsx";
import { FieldError } from "../../ui/field.tsx";
import { FilterField } from "../../ui/filter-field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Rows } from "../../ui/rows.tsx";
import { addMembers, joinOrLeave, removeMember, removeSubgroup } from "./group-membership.ts";
import { Uses } from "./group-uses.tsx";
import { PersonName } from "./person-cells.tsx";
import styles from "./people.module.css";
import { BackLink } from "./user-page.tsx";

const nameOf = (id: number): string => {
  const group = findGroup(id);
  return group ? groupName(group) : t("setting.unknownGroup");
};

export function GroupPage({ groupId, section }: { groupId: number; section: Section }) {
  const group = findGroup(groupId);
  if (!group) return <Nowhere />;
  const lock = group.is_system_group
    ? t("groups.followsRoles")
    : group.deactivated
      ? t("groups.isDeactivated")
      : mayManageGroup(group)
        ? undefined
        : t("groups.managersOnly");
  return (
    <div class={styles.page}>
      <BackLink section={section} />
      <header class={styles.head}>
        <h3 dir="auto">{groupName(group)}</h3>
        {(mayJoinGroup(group) || mayLeaveGroup(group)) && (
          <Button icon={isInGroup(group) ? "log-out" : "plus"} onClick={() => joinOrLeave(group)}>
            {t(isInGroup(group) ? "groups.leave" : "groups.join")}
          </Button>
        )}
      </header>
      {group.is_system_group && <p>{group.description}</p>}
      {lock !== undefined && <p class={styles.quiet}>{lock}</p>}
      {isManagedElsewhere(group) && (
        <p class={styles.quiet}>
          <Icon name="lock" size={14} /> {t("groups.byDirectoryHint")}
        </p>
      )}
      {!group.is_system_group &&
        groupTexts.settings.map((setting) => (
          <SettingControl
            key={setting.name}
            setting={setting}
            subjectId={groupId}
            lockedBecause={lock ?? (setting.name === "name" && isManagedElsewhere(group) ? "" : undefined)}
          />
        ))}
      <Members group={group} />
      {!group.is_system_group && <SettingGroups groups={[groupPermissions]} subjectId={groupId} lockedBecause={lock} />}
      {!group.deactivated && <Uses groupId={groupId} />}
      {mayManageGroup(group) && (group.deactivated || !isManagedElsewhere(group)) && <Activation group={group} />}
    </div>
  );
}

const rowHeight = 44;
const borders = 2;
const many = 12;
const maxSuggestions = 8;

type Row = { subgroupId: number } | GroupMember;

function Members({ group }: { group: UserGroup }) {
  const [query, setQuery] = useState("");
  const { save, saved, error } = useSaving();
  const allGroups = part("realm_user_groups").value;
  const people = peopleById.value;
  const members = useMemo(() => membersOfGroup(group), [group, allGroups]);
  const wanted = query.trim().toLowerCase();
  const rows = useMemo((): Row[] => {
    const name = ({ userId }: GroupMember): string => people.get(userId)?.full_name ?? "";
    const matching = members.filter((member) => name(member).toLowerCase().includes(wanted));
    const collator = new Intl.Collator();
    const sorted = matching.length > 5000 ? matching : matching.toSorted((a, b) => collator.compare(name(a), name(b)));
    const subgroups = group.direct_subgroup_ids.filter((id) => nameOf(id).toLowerCase().includes(wanted));
    return [...subgroups.map((subgroupId) => ({ subgroupId })), ...sorted];
  }, [members, people, wanted]);
  const suggest = (typed: string): Chip[] => {
    const found = new Matcher(
      groups().filter((candidate) => mayBeSubgroup(group, candidate) && candidate.name !== "role:nobody"),
      groupName,
    )
      .find(typed, maxSuggestions)
      .map((each): Chip => ({ key: `group ${each.id}`, label: groupName(each), icon: "users-round" }));
    if (typed === "") return found;
    const direct = new Set(group.members);
    const others = suggestPeople(typed).filter(({ key }) => !direct.has(Number(key)));
    return [...others, ...found].slice(0, maxSuggestions);
  };
  const add = (chips: readonly Chip[]): void => {
    const ids = (isGroup: boolean): number[] =>
      chips
        .filter(({ key }) => key.startsWith("group ") === isGroup)
        .map(({ key }) => Number(key.replace("group ", "")));
    void save(() => addMembers(group, ids(false), ids(true)));
  };
  const remove = (row: Row): void =>
    void save(() => ("subgroupId" in row ? removeSubgroup(group, row.subgroupId) : removeMember(group, row.userId)));
  const mayRemove = mayRemoveFromGroup(group);
  return (
    <section aria-labelledby="group-members">
      <h3 id="group-members">{t("groups.memberCount", { count: members.length })}</h3>
      {mayAddToGroup(group) && (
        <ChipsField
          label={t("groups.add")}
          hint={t("groups.addHint")}
          saved={saved}
          error={error}
          chips={[]}
          suggest={suggest}
          onChange={add}
        />
      )}
      {!mayAddToGroup(group) && <FieldError id="group-members-error" error={error} />}
      {members.length > many && <FilterField label={t("groups.findMember")} value={query} onChange={setQuery} />}
      {rows.length === 0 ? (
        <p class={styles.quiet}>{t(query === "" ? "groups.noMembers" : "table.noneFound")}</p>
      ) : (
        <div class={styles.members} style={{ blockSize: `${rows.length * rowHeight + borders}px` }}>
          <Rows
            class={styles.memberRows}
            label={t("groups.members")}
            items={rows}
            height={rowHeight}
            keyOf={(row) => ("subgroupId" in row ? `group ${row.subgroupId}` : row.userId)}
            render={(row) => {
              const isGroup = "subgroupId" in row;
              const name = isGroup ? nameOf(row.subgroupId) : (people.get(row.userId)?.full_name ?? "");
              const person = isGroup ? undefined : people.get(row.userId);
              return (
                <div class={styles.member}>
                  {isGroup ? (
                    <span class={styles.person}>
                      <Icon name="users-round" />
                      <span class={styles.name}>{name}</span>
                    </span>
                  ) : person ? (
                    <PersonName person={person} />
                  ) : (
                    <span>{t("person.unknown")}</span>
                  )}
                  {isGroup ? (
                    <small>{t("groups.subgroup")}</small>
                  ) : (
                    row.through.length > 0 && (
                      <small>{t("groups.through", { groups: listNames(row.through.map(nameOf), 3) })}</small>
                    )
                  )}
                  {mayRemove && (isGroup || row.isDirect) && (
                    <IconButton icon="x" label={t("groups.remove", { name })} onClick={() => remove(row)} />
                  )}
                </div>
              );
            }}
          />
        </div>
      )}
    </section>
  );
}

/** A group that is used somewhere cannot be deactivated. */
function Activation({ group }: { group: UserGroup }) {
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const uses = usesOfGroup(group.id);
  const reactivate = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await call(updateUserGroup, { user_group_id: group.id, deactivated: false });
    } catch (failure) {
      setError(reasonOf(failure));
    }
    setBusy(false);
  };
  if (group.deactivated)
    return (
      <>
        <h3>{t("groups.reactivate")}</h3>
        <p class={styles.quiet}>{t("groups.reactivateHint")}</p>
        <Button icon="rotate-ccw" busy={isBusy} onClick={() => void reactivate()}>
          {t("groups.reactivate")}
        </Button>
        <FieldError id="group-error" error={error} />
      </>
    );
  return (
    <>
      <h3>{t("groups.deactivate")}</h3>
      <p class={styles.quiet}>{t(uses.length > 0 ? "groups.cannotDeactivate" : "groups.deactivateHint")}</p>
      <Button kind="danger" icon="archive" disabled={uses.length > 0} onClick={() => setAsking(true)}>
        {t("groups.deactivate")}
      </Button>
      {isAsking && (
        <DangerDialog
          title={t("groups.deactivateOne", { name: group.name })}
          action={t("groups.deactivate")}
          run={async () => {
            await call(deactivateUserGroup, { user_group_id: group.id });
            toast(t("groups.wasDeactivated", { name: group.name }));
          }}
          onClose={() => setAsking(false)}
        >
          <ul class={styles.consequences}>
            <li>{t("groups.endsMentions")}</li>
            <li>{t("groups.endsPermissions")}</li>
            <li>{t("groups.keepsMembers")}</li>
          </ul>
        </DangerDialog>
      )}
    </>
  );
}
