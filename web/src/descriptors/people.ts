/** The pages of the administration about people. Each is drawn by its own view. */
import "../text/chunks/members.ts";
import { mayInvite } from "../store/inviting.ts";
import { isAdministrator, isGuest } from "../store/roles.ts";
import type { Section } from "./setting.ts";

const isMember = (): boolean => !isGuest();

export const peopleSections: readonly Section[] = [
  { id: "users", label: "members.users", icon: "users", groups: [], fills: true, isShown: isMember },
  {
    id: "deactivated-users",
    label: "members.deactivatedUsers",
    icon: "user-x",
    groups: [],
    fills: true,
    isShown: isAdministrator,
  },
  { id: "bots", label: "members.bots", icon: "bot", groups: [], fills: true, isShown: isMember },
  {
    id: "invitations",
    label: "members.invitations",
    icon: "mail",
    groups: [],
    fills: true,
    isShown: () => isAdministrator() || mayInvite(),
  },
  {
    id: "user-groups",
    label: "groups.title",
    icon: "users-round",
    groups: [],
    fills: true,
    items: [{ id: "create-group", label: "groups.create" }],
    isShown: isMember,
  },
];
