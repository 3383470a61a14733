/** The menu that follows or mutes a topic. */
import type { TopicConversation } from "../store/conversations.ts";
import { setVisibility, visibility, visibilityOf, type Visibility } from "../store/visibility.ts";
import { t } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";
import { MenuButton } from "../ui/menu.tsx";

const icons: Record<Visibility, IconName> = {
  [visibility.inherit]: "bell",
  [visibility.muted]: "volume-x",
  [visibility.unmuted]: "bell",
  [visibility.followed]: "bookmark",
};

const names = { 0: "inherit", 1: "muted", 2: "unmuted", 3: "followed" } as const;

/** Four states, each with a line that explains it. */
export function VisibilityMenu({ topic, keys }: { topic: TopicConversation; keys?: string }) {
  const now = visibilityOf(topic);
  const entries = ([3, 0, 1, 2] as const).map((value) => ({
    label: t(`visibility.${names[value]}`),
    hint: t(`visibility.${names[value]}Hint`),
    icon: icons[value],
    checked: value === now,
    isChoice: true,
    onSelect: () => setVisibility(topic, value),
  }));
  return (
    <MenuButton
      icon={icons[now]}
      label={t("visibility.label", { state: t(`visibility.${names[now]}`) })}
      entries={entries}
      {...(keys === undefined ? {} : { keys })}
    />
  );
}
