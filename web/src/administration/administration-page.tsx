/** The organization: its settings, people and channels. */
import "../text/chunks/organization.ts";
import { SettingsPage, type SectionViews } from "../controls/settings-page.tsx";
import { organizationSections } from "../descriptors/organization.ts";
import { addressOf } from "../navigation/router.ts";
import { t } from "../text/t.ts";

const views: SectionViews = {
  users: () => import("./people/users.tsx"),
  "deactivated-users": () => import("./people/users.tsx"),
  bots: () => import("./people/bots.tsx"),
  invitations: () => import("./people/invitations.tsx"),
  "user-groups": () => import("./people/groups.tsx"),
  channels: () => import("./channels-section.tsx"),
  "channel-folders": () => import("./channel-folders.tsx"),
  "default-channels": () => import("./default-channels-section.tsx"),
  profile: () => import("./profile.tsx"),
  joining: () => import("./joining.tsx"),
  authentication: () => import("./authentication.tsx"),
  "identity-providers": () => import("./sign-on/providers/identity-providers.tsx"),
  provisioning: () => import("./sign-on/scim-tokens.tsx"),
  emoji: () => import("./emoji.tsx"),
  linkifiers: () => import("./linkifiers.tsx"),
  playgrounds: () => import("./playgrounds.tsx"),
  "profile-fields": () => import("./profile-fields.tsx"),
  "audit-log": () => import("./audit-log.tsx"),
  "audit-delivery": () => import("./sign-on/audit-destinations.tsx"),
  exports: () => import("./exports.tsx"),
  imports: () => import("./imports/imports.tsx"),
};

export default function Administration({ section, item }: { section: string; item?: string }) {
  return (
    <SettingsPage
      title={<h1>{t("organization.title")}</h1>}
      sections={organizationSections}
      views={views}
      current={section}
      item={item}
      addressOf={(to, toItem) =>
        addressOf({ kind: "organization", section: to, ...(toItem === undefined ? {} : { item: toItem }) })
      }
    />
  );
}
