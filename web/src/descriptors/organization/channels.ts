import "../../text/chunks/members.ts";
import { isAdministrator, isGuest } from "../../store/roles.ts";
import type { Section } from "../setting.ts";

const isMember = (): boolean => !isGuest();

export const organizationChannelSections: readonly Section[] = [
  { id: "channels", label: "sidebar.channels", icon: "hash", groups: [], fills: true, isShown: isMember },
  {
    id: "channel-folders",
    label: "folders.title",
    hint: "folders.hint",
    icon: "folder",
    groups: [],
    items: [{ id: "add-folder", label: "folders.create", isOffered: isAdministrator }],
    isShown: isMember,
  },
  {
    id: "default-channels",
    label: "channels.defaults",
    icon: "list",
    groups: [],
    items: [{ id: "default-groups", label: "channels.groups" }],
    isShown: isMember,
  },
];
