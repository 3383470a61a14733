/** Sections that show lists. */
import "../../text/chunks/organization.ts";
import { mayAddEmoji } from "../../store/organization.ts";
import { isAdministrator, isOwner, isGuest } from "../../store/roles.ts";
import type { Section } from "../setting.ts";

const notForGuests = (): boolean => !isGuest();

export const emojiSection: Section = {
  id: "emoji",
  label: "organization.emoji",
  hint: "organization.emoji.hint",
  icon: "smile",
  groups: [],
  items: [{ id: "add-emoji", label: "organization.emoji.add", isOffered: mayAddEmoji }],
};

export const linkifiersSection: Section = {
  id: "linkifiers",
  label: "organization.linkifiers",
  hint: "organization.linkifiers.hint",
  icon: "link",
  groups: [],
  items: [{ id: "add-linkifier", label: "organization.linkifiers.add", isOffered: isAdministrator }],
  isShown: notForGuests,
};

export const playgroundsSection: Section = {
  id: "playgrounds",
  label: "organization.playgrounds",
  hint: "organization.playgrounds.hint",
  icon: "code",
  groups: [],
  items: [{ id: "add-playground", label: "organization.playgrounds.add", isOffered: isAdministrator }],
  isShown: notForGuests,
};

export const profileFieldsSection: Section = {
  id: "profile-fields",
  label: "organization.profileFields",
  hint: "organization.profileFields.hint",
  icon: "user",
  groups: [],
  items: [{ id: "add-profile-field", label: "organization.fields.add", isOffered: isAdministrator }],
  isShown: notForGuests,
};

export const auditLogSection: Section = {
  id: "audit-log",
  label: "organization.auditLog",
  hint: "organization.auditLog.hint",
  icon: "history",
  groups: [],
  items: [{ id: "audit-log", label: "organization.auditLog.export" }],
  isShown: isAdministrator,
};

export const auditDeliverySection: Section = {
  id: "audit-delivery",
  label: "organization.auditDelivery",
  hint: "organization.auditDelivery.hint",
  icon: "send-horizontal",
  groups: [],
  items: [{ id: "add-audit-destination", label: "organization.auditDelivery.add" }],
  isShown: isOwner,
};

export const identityProvidersSection: Section = {
  id: "identity-providers",
  label: "organization.identityProviders",
  hint: "organization.identityProviders.hint",
  icon: "key-round",
  groups: [],
  items: [{ id: "add-identity-provider", label: "organization.identityProviders.add" }],
  isShown: isOwner,
};

export const provisioningSection: Section = {
  id: "provisioning",
  label: "organization.provisioning",
  hint: "organization.provisioning.hint",
  icon: "users-round",
  groups: [],
  items: [{ id: "create-scim-token", label: "organization.provisioning.create" }],
  isShown: isOwner,
};

export const importsSection: Section = {
  id: "imports",
  label: "organization.imports",
  hint: "organization.imports.hint",
  icon: "upload",
  groups: [],
  items: [{ id: "start-import", label: "organization.imports.start" }],
  isShown: isOwner,
};

export const exportsSection: Section = {
  id: "exports",
  label: "organization.exports",
  hint: "organization.exports.hint",
  icon: "download",
  groups: [],
  items: [{ id: "start-export", label: "organization.exports.start" }],
  isShown: isAdministrator,
};
