/** The organization's settings, grouped as an administrator would look for them. */
import "../text/chunks/organization.ts";
import { authenticationSection } from "./organization/authentication.ts";
import { organizationChannelSections } from "./organization/channels.ts";
import { defaultsSection } from "./organization/defaults.ts";
import { joiningSection } from "./organization/joining.ts";
import {
  auditDeliverySection,
  auditLogSection,
  emojiSection,
  exportsSection,
  identityProvidersSection,
  importsSection,
  linkifiersSection,
  playgroundsSection,
  profileFieldsSection,
  provisioningSection,
} from "./organization/lists.ts";
import { messagesSection } from "./organization/messages.ts";
import { permissionsSection } from "./organization/permissions.ts";
import { profileSection } from "./organization/profile.ts";
import { peopleSections } from "./people.ts";
import type { Section } from "./setting.ts";

export const organizationSections: readonly Section[] = [
  profileSection,
  permissionsSection,
  messagesSection,
  joiningSection,
  authenticationSection,
  identityProvidersSection,
  provisioningSection,
  ...peopleSections,
  ...organizationChannelSections,
  emojiSection,
  linkifiersSection,
  playgroundsSection,
  profileFieldsSection,
  defaultsSection,
  auditLogSection,
  auditDeliverySection,
  exportsSection,
  importsSection,
];
