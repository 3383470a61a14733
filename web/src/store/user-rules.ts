/** Who may change whom in the administration. The server has the last word: this only decides what is offered. */
import "../text/chunks/controls.ts";
import "../text/chunks/members.ts";
import { computed } from "@preact/signals";
import type { Role } from "@skein/api/users.ts";
import { t } from "../text/t.ts";
import { activePeople, type Person } from "./people.ts";
import { isAdministrator, isOwner, roles } from "./roles.ts";

export const allRoles = [100, 200, 300, 400, 600] as const satisfies Role[];

/** Wire values that are not known count as members. */
export const roleOf = (role: number): Role => allRoles.find((each) => each === role) ?? roles.member;

const ownerCount = computed(
  () => activePeople.value.filter(({ role, is_bot }) => role === roles.owner && !is_bot).length,
);

export const isOnlyOwner = ({ role, is_bot, isActive }: Person): boolean =>
  role === roles.owner && !is_bot && isActive && ownerCount.value <= 1;

/** Why the reader cannot change this person at all; undefined if they can. */
export function lockOfUser({ role }: Person): string | undefined {
  if (!isAdministrator()) return t("setting.administratorsOnly");
  return role === roles.owner && !isOwner() ? t("setting.ownersOnly") : undefined;
}

/** Why the reader cannot change this person's role. */
export const lockOfRole = (person: Person): string | undefined =>
  lockOfUser(person) ?? (isOnlyOwner(person) ? t("members.onlyOwner") : undefined);

/** The roles that the reader can give this person, and the current one. Guests become members first. */
export const rolesFor = (person: Person): readonly Role[] =>
  allRoles.filter((role) => {
    if (role === person.role) return true;
    if (role === roles.owner && !isOwner()) return false;
    return person.role !== roles.guest || role > roles.administrator;
  });

/** Why this person cannot be deactivated by the reader. */
export const lockOfDeactivation = (person: Person): string | undefined =>
  lockOfUser(person) ?? (isOnlyOwner(person) ? t("members.onlyOwnerStays") : undefined);

/** Names can be changed by any administrator, also those of owners. */
export const lockOfName = (): string | undefined => (isAdministrator() ? undefined : t("setting.administratorsOnly"));

/** Owners need a permission in addition, which only the server's operator can give and see. */
export const lockOfAddress = (): string | undefined => (isOwner() ? undefined : t("setting.ownersOnly"));
