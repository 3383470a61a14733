/** The reader's own settings. */
import "../text/chunks/settings.ts";
import { SettingsPage, type SectionViews } from "../controls/settings-page.tsx";
import { personalSections } from "../descriptors/personal.ts";
import { addressOf } from "../navigation/router.ts";
import { t } from "../text/t.ts";

const views: SectionViews = {
  profile: () => import("./profile.tsx"),
  notifications: () => import("./notifications.tsx"),
  account: () => import("./account.tsx"),
  "api-keys": () => import("./api-keys.tsx"),
  sessions: () => import("./sessions.tsx"),
  muted: () => import("./muted.tsx"),
  "alert-words": () => import("./alert-words.tsx"),
  uploads: () => import("./uploads.tsx"),
  bots: () => import("./bots.tsx"),
  keyboard: () => import("./keyboard.tsx"),
};

export default function PersonalSettings({ section, item }: { section: string; item?: string }) {
  return (
    <SettingsPage
      title={<h1>{t("settings.title")}</h1>}
      sections={personalSections}
      views={views}
      current={section}
      item={item}
      addressOf={(to, toItem) =>
        addressOf({ kind: "settings", section: to, ...(toItem === undefined ? {} : { item: toItem }) })
      }
    />
  );
}
