import { expect, test } from "vitest";
import { defaultsOf } from "./organization/defaults.ts";
import type { Section, Setting } from "./setting.ts";

const setting = (name: string, more: Partial<Setting> = {}): Setting => ({
  scope: "personal",
  name,
  label: "settings.title",
  control: { kind: "switch" },
  ...more,
});

const section: Section = {
  id: "preferences",
  label: "settings.preferences",
  icon: "settings",
  groups: [
    { label: "settings.appearance", settings: [setting("enter_sends"), setting("default_language")] },
    { settings: [setting("enable_sounds", { hint: "settings.title" })] },
    { settings: [setting("allow_private_data_export")] },
  ],
};

test("defaults are the personal settings that an organization can choose for others, for administrators", () => {
  const groups = defaultsOf([section, { ...section, groups: [{ settings: [setting("name", { scope: "channel" })] }] }]);

  expect(groups.map(({ label, settings }) => [label, settings.map(({ name }) => name)])).toEqual([
    ["settings.appearance", ["enter_sends"]],
    ["settings.preferences", ["enable_sounds"]],
  ]);
  const all = groups.flatMap(({ settings }) => settings);
  expect(all.every(({ scope, changedBy }) => scope === "defaults" && changedBy === "administrators")).toBe(true);
  expect(all[1]?.hint).toBe("settings.title");
});
