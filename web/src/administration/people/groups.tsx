/** User groups, and the page of one of them. */
import "../../text/chunks/fields.ts";
import "../../text/chunks/members.ts";
import { computed } from "@preact/signals";
import { createUserGroup } from "@skein/api/routes/user-groups.ts";
import type { UserGroup } from "@skein/api/user-groups.ts";
import { useState } from "preact/hooks";
import { call } from "../../api/call.ts";
import type { SectionViewProps } from "../../controls/settings-page.tsx";
import { Table, type Column } from "../../controls/table.tsx";
import { elementId } from "../../descriptors/setting.ts";
import { addressOf, go } from "../../navigation/router.ts";
import { idsOf, suggestPeople, toChip } from "../../parts/people-chips.ts";
import {
  countMembers,
  isInGroup,
  isManagedElsewhere,
  mayCreateGroups,
  mayJoinGroup,
  mayLeaveGroup,
} from "../../store/group-rules.ts";
import { findGroup, groupName, groups } from "../../store/group-settings.ts";
import { Listing, sortText } from "../../store/listing.ts";
import { self } from "../../store/people.ts";
import { reasonOf } from "../../store/reasons.ts";
import { formatNumber, t } from "../../text/t.ts";
import { Button } from "../../ui/button.tsx";
import { ChipsField, type Chip } from "../../ui/chips.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Empty } from "../../ui/empty.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Tabs, tabPanel } from "../../ui/tabs.tsx";
import { GroupPage } from "./group-page.tsx";
import { joinOrLeave } from "./group-membership.ts";
import styles from "./people.module.css";

/** Groups that exist for settings only, like nobody, are no groups to anyone. */
const isListed = ({ name }: UserGroup): boolean => name !== "role:nobody" && name !== "role:internet";

const listing = new Listing<UserGroup>({
  items: computed(() => groups().filter(isListed)),
  keyOf: ({ id }) => id,
  textOf: (group) => `${groupName(group)}\n${group.description}`,
  sorts: {
    name: (group) => sortText(groupName(group)),
    members: countMembers,
    kind: ({ is_system_group }) => Number(is_system_group),
  },
});

const columns = (): Column<UserGroup>[] => [
  {
    id: "name",
    label: t("groups.name"),
    width: "1.4fr",
    render: (group) => (
      <span class={styles.person}>
        <Icon name={group.is_system_group ? "shield" : "users-round"} />
        <span class={styles.name} dir="auto">
          {groupName(group)}
        </span>
      </span>
    ),
  },
  {
    id: "description",
    label: t("groups.description"),
    width: "2fr",
    card: "line",
    render: ({ description }) => description,
  },
  {
    id: "members",
    label: t("groups.members"),
    width: "6rem",
    isLabelled: true,
    render: (group) => formatNumber(countMembers(findGroup(group.id) ?? group)),
  },
  {
    id: "kind",
    label: t("groups.kind"),
    width: "7rem",
    render: (group) =>
      t(group.is_system_group ? "groups.byRole" : isManagedElsewhere(group) ? "groups.byDirectory" : "groups.custom"),
  },
];

const filters = {
  mine: (group: UserGroup) => !group.deactivated && isInGroup(group),
  all: (group: UserGroup) => !group.deactivated,
  deactivated: (group: UserGroup) => group.deactivated,
};
type Tab = keyof typeof filters;
const tabs = ["mine", "all", "deactivated"] as const;

export default function Groups({ section, item }: SectionViewProps) {
  if (item !== undefined && /^\d+$/.test(item)) return <GroupPage groupId={Number(item)} section={section} />;
  return <GroupTable />;
}

const pageOf = (id: number) => addressOf({ kind: "organization", section: "user-groups", item: String(id) });

function GroupTable() {
  const [tab, setTab] = useState<Tab>("all");
  const [isCreating, setCreating] = useState(false);
  return (
    <>
      <div class={styles.above}>
        <Tabs
          id="groups"
          label={t("groups.title")}
          tabs={tabs.map((id) => ({ id, label: t(`groups.${id}`) }))}
          selected={tab}
          onSelect={(id) => setTab(id as Tab)} // one of the tabs
        />
        {mayCreateGroups() && (
          <span id={elementId("create-group")}>
            <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
              {t("groups.create")}
            </Button>
          </span>
        )}
      </div>
      <div {...tabPanel("groups", tab)} class={styles.panel}>
        <Table
          key={tab}
          id={`groups ${tab}`}
          label={t("groups.title")}
          listing={listing}
          columns={columns()}
          sortedBy="name"
          nameOf={groupName}
          filterLabel={t("groups.find")}
          countOf={(count) => t("groups.count", { count })}
          isShown={filters[tab]}
          noneShown={
            tab === "mine" ? t("groups.noneMine") : tab === "deactivated" ? t("groups.noneDeactivated") : undefined
          }
          onOpen={({ id }) => go(pageOf(id))}
          actionsOf={(group) => [
            { label: t("members.manage"), icon: "pencil", onSelect: () => go(pageOf(group.id)) },
            ...(mayJoinGroup(group)
              ? [{ label: t("groups.join"), icon: "plus" as const, onSelect: () => joinOrLeave(group) }]
              : []),
            ...(mayLeaveGroup(group)
              ? [{ label: t("groups.leave"), icon: "log-out" as const, onSelect: () => joinOrLeave(group) }]
              : []),
          ]}
          empty={<Empty icon="users-round" title={t("groups.none")} />}
        />
      </div>
      {isCreating && <CreateGroupDialog onClose={() => setCreating(false)} />}
    </>
  );
}

/** With its creator as first member, who can be removed again. */
function CreateGroupDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [members, setMembers] = useState<Chip[]>(() => [toChip(self.peek())]);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const create = async (): Promise<void> => {
    if (name.trim() === "" || isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const { group_id } = await call(createUserGroup, { name: name.trim(), description, members: idsOf(members) });
      onClose();
      go(pageOf(group_id));
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t("groups.create")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={name.trim() === ""}>
            {t("groups.createAction")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("groups.name")}
        hint={t("groups.nameHint")}
        value={name}
        error={error}
        maxLength={100}
        autofocus
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <TextArea
        label={t("groups.description")}
        isOptional
        value={description}
        maxLength={1024}
        onInput={(event) => setDescription(event.currentTarget.value)}
      />
      <ChipsField label={t("groups.members")} chips={members} suggest={suggestPeople} onChange={setMembers} />
    </Dialog>
  );
}
