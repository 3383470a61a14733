/** Every setting and every page of settings, for the palette. Their descriptions are loaded when it opens. */
import { computed, signal } from "@preact/signals";
import type { Section } from "../descriptors/setting.ts";
import type { Place } from "../navigation/place.ts";
import { go, place } from "../navigation/router.ts";
import { findChannel } from "../store/channels.ts";
import { t } from "../text/t.ts";
import type { Entry } from "./entry.ts";

type Sections = Readonly<Record<"settings" | "organization" | "channel-settings", readonly Section[]>>;

const sections = signal<Sections>();

export function loadSettings(): void {
  if (sections.peek()) return;
  void import("../descriptors/sections.ts").then(({ allSections }) => {
    sections.value = allSections;
  });
}

type SettingsPlace = Extract<Place, { section: string }>;

/** The channel that is on screen: its settings can be found too. */
export const channelOnScreen = computed(() => {
  const at = place.value;
  if (at.kind === "channel" || at.kind === "channel-settings") return at.channelId;
  return at.kind === "conversation" && at.conversation.kind === "topic" ? at.conversation.channelId : undefined;
});

export const settingEntries = computed((): Entry[] => {
  const { value: all } = sections;
  if (!all) return [];
  const channel = channelOnScreen.value === undefined ? undefined : findChannel(channelOnScreen.value);
  return [
    ...entriesIn(all.settings, t("place.settings"), { kind: "settings", section: "" }),
    ...entriesIn(all.organization, t("place.organization"), { kind: "organization", section: "" }),
    ...(channel
      ? entriesIn(all["channel-settings"], `#${channel.name}`, {
          kind: "channel-settings",
          channelId: channel.stream_id,
          section: "",
        })
      : []),
  ];
});

const entriesIn = (list: readonly Section[], where: string, to: SettingsPlace): Entry[] =>
  list
    .filter(({ isShown }) => isShown?.() !== false)
    .flatMap(({ id, label, icon, groups, items = [] }) => {
      const offered = groups.flatMap(({ settings }) => settings).filter(({ isOffered }) => isOffered?.() !== false);
      const entry = (key: string, name: string, detail: string, run: () => void): Entry => ({
        key: `setting ${to.kind} ${id} ${key}`,
        label: name,
        detail,
        icon,
        run,
      });
      const goTo = (item?: string) => () => go({ ...to, section: id, ...(item === undefined ? {} : { item }) });
      const path = `${where} › ${t(label)}`;
      return [
        entry("", t(label), where, goTo()),
        ...offered.map((setting) => entry(setting.name, t(setting.label), path, goTo(setting.name))),
        ...items
          .filter((item) => item.isOffered?.() !== false)
          .map((item) => entry(item.id, t(item.label), path, goTo(item.id))),
      ];
    });
