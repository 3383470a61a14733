/** What administrators do to several users at once. */
import "../../text/chunks/roles.ts";
import "../../text/chunks/members.ts";
import { updateUserGroupMembers } from "@skein/api/routes/user-groups.ts";
import { deactivateUser, reactivateUser, updateUser } from "@skein/api/routes/users.ts";
import type { Role } from "@skein/api/users.ts";
import { call } from "../../api/call.ts";
import { mayAddToGroup } from "../../store/group-rules.ts";
import { groupName, groups } from "../../store/group-settings.ts";
import { botsOf } from "../../store/people-lists.ts";
import type { Person } from "../../store/people.ts";
import { isOwner, roles } from "../../store/roles.ts";
import { ownId } from "../../store/state.ts";
import { allRoles, lockOfDeactivation, lockOfRole, lockOfUser, rolesFor } from "../../store/user-rules.ts";
import { t, type TextKey } from "../../text/t.ts";
import type { IconName } from "../../ui/icon.tsx";

export interface Job {
  /** On its buttons. */
  action: TextKey;
  title: (count: number) => string;
  icon: IconName;
  isDangerous?: boolean;
  isOffered?: () => boolean;
  /** Something to choose first. */
  choices?: { label: TextKey; options: () => readonly { value: string; label: string }[] };
  /** What will happen. */
  consequences: (people: readonly Person[]) => readonly string[];
  /** Why one of them is left out. */
  objection: (person: Person, choice: string) => string | undefined;
  run: (person: Person, choice: string) => Promise<unknown>;
}

const isSelf = ({ user_id }: Person): boolean => user_id === ownId.value;

export const roleJob: Job = {
  action: "members.changeRole",
  title: (count) => t("members.changeRoleOf", { count }),
  icon: "shield",
  choices: {
    label: "members.newRole",
    options: () =>
      allRoles
        .filter((role) => role !== roles.owner || isOwner())
        .toReversed()
        .map((role) => ({ value: String(role), label: t(`role.one.${role}`) })),
  },
  consequences: () => [t("members.botsFollowRole")],
  objection: (person, choice) => {
    if (isSelf(person)) return t("members.notYourself");
    if (String(person.role) === choice) return t("members.hasRole");
    const role = Number(choice) as Role; // one of those above
    return lockOfRole(person) ?? (rolesFor(person).includes(role) ? undefined : t("members.guestFirst"));
  },
  run: ({ user_id }, choice) => call(updateUser, { user_id, role: Number(choice) as Role }), // one of those above
};

export const addToGroupJob: Job = {
  action: "members.addToGroup",
  title: (count) => t("members.addToGroupCount", { count }),
  icon: "users-round",
  isOffered: () => groups().some(mayAddToGroup),
  choices: {
    label: "members.group",
    options: () =>
      groups()
        .filter(mayAddToGroup)
        .map((group) => ({ value: String(group.id), label: groupName(group) })),
  },
  consequences: () => [],
  objection: ({ user_id }, choice) =>
    groups()
      .find(({ id }) => String(id) === choice)
      ?.members.includes(user_id)
      ? t("members.isInGroup")
      : undefined,
  run: ({ user_id }, choice) => call(updateUserGroupMembers, { user_group_id: Number(choice), add: [user_id] }),
};

export const deactivateJob: Job = {
  action: "members.deactivate",
  title: (count) => t("members.deactivateCount", { count }),
  icon: "user-x",
  isDangerous: true,
  consequences: (people) => {
    const bots = people.length > 500 ? 0 : people.reduce((sum, { user_id }) => sum + botsOf(user_id).length, 0);
    return [
      t("members.endsSessions"),
      ...(bots > 0 ? [t("members.endsBots", { count: bots })] : []),
      t("members.endsInvitations"),
      t("members.endsScheduled"),
      t("members.keepsMessages"),
    ];
  },
  objection: (person) => (isSelf(person) ? t("members.notYourself") : lockOfDeactivation(person)),
  run: ({ user_id }) => call(deactivateUser, { user_id }),
};

export const reactivateJob: Job = {
  action: "members.reactivate",
  title: (count) => t("members.reactivateCount", { count }),
  icon: "rotate-ccw",
  consequences: () => [t("members.returnsRights"), t("members.returnsWithoutBots")],
  objection: lockOfUser,
  run: ({ user_id }) => call(reactivateUser, { user_id }),
};
