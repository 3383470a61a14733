/**
 * Every setting that a description draws a control for: changed by that control in one window, shown by the other one, and
 * stored. The cases are generated from the descriptions, so a new setting is tested without a line here.
 */
import type { Locator, Page } from "playwright-core";
import { expect, test } from "vitest";
import type { Section, Setting } from "../src/descriptors/setting.ts";
import { elementId, settingsIn } from "../src/descriptors/setting.ts";
import { allSections } from "../src/descriptors/sections.ts";
import { createChannelFolder } from "@skein/api/channel-folders.ts";
import { channelOf } from "../../server/test/actions.ts";
import { withApp } from "../../server/test/authenticator-app.ts";
import { success } from "../../server/test/realm.ts";
import { goTo, newRealm, openClient, useClient } from "./client.ts";

useClient();

const control = (page: Page, { name }: Setting): Locator => page.locator(`#${elementId(name)}`);

/** What the control shows. */
const shown = (page: Page, setting: Setting): Promise<string> =>
  control(page, setting).evaluate((element) => {
    const fields = [...element.querySelectorAll<HTMLInputElement>("input, select, textarea")];
    const values = fields.map((field) =>
      field.type === "checkbox" || field.type === "radio" ? String(field.checked) : field.value,
    );
    const chips = [...element.querySelectorAll("li")].map((chip) => chip.textContent);
    return [...values, ...chips].join(" | ");
  });

/** Chooses something else than what is chosen. */
async function chooseOther(field: Locator): Promise<void> {
  const value = await field.evaluate((element: HTMLSelectElement) =>
    [...element.options].map((option) => option.value).find((each) => each !== element.value && each !== "other"),
  );
  if (value === undefined) throw new Error("there is nothing else to choose");
  await field.selectOption(value);
}

/** Changes the setting as a user would, and answers the question that a change with consequences asks. */
async function change(page: Page, setting: Setting): Promise<void> {
  await operate(page, setting);
  if (setting.confirm) await confirm(page, control(page, setting).getByText("Saved"));
  await control(page, setting).getByText("Saved").first().waitFor({ state: "attached" });
}

/** Types the name that the question asks for, if it does. */
async function confirm(page: Page, saved: Locator): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.or(saved.first()).first().waitFor({ state: "attached" });
  if ((await dialog.count()) === 0) return;
  const field = dialog.getByRole("textbox");
  if ((await field.count()) > 0) {
    const name = /Type (.+) to confirm/.exec((await dialog.textContent()) ?? "")?.[1];
    await field.fill(name ?? "");
  }
  await dialog.locator("button[type=submit]").click();
}

async function operate(page: Page, setting: Setting): Promise<void> {
  const at = control(page, setting);
  switch (setting.control.kind) {
    case "switch":
      await at.getByRole("checkbox").click();
      return;
    case "choice":
    case "list":
    case "period":
      if ((await at.getByRole("radio").count()) > 0) await at.getByRole("radio", { checked: false }).first().click();
      else await chooseOther(at.getByRole("combobox").first());
      return;
    case "number": {
      const field = at.getByRole("spinbutton");
      const { min, max } = setting.control;
      const before = Number(await field.inputValue());
      await field.fill(String(before < max ? before + 1 : min));
      await field.press("Enter");
      return;
    }
    case "text": {
      const field = at.getByRole("textbox");
      await field.fill(setting.control.type === "url" ? "https://example.com/changed" : "changed");
      await field.blur();
      return;
    }
    case "permission": {
      if ((await at.locator("select").count()) > 0) await chooseOther(at.locator("select"));
      else {
        await at.getByRole("combobox").press("ArrowDown");
        await page.getByRole("listbox").getByRole("option").last().click();
      }
      return;
    }
    case "own":
      throw new Error(`${setting.name} has no control that is drawn from its description`);
  }
}

const isDrawn = ({ control: { kind } }: Setting): boolean => kind !== "own";

const places: { title: string; sections: readonly Section[]; address: (section: string, id: number) => string }[] = [
  { title: "personal", sections: allSections.settings, address: (section) => `#settings/${section}` },
  { title: "organization", sections: allSections.organization, address: (section) => `#organization/${section}` },
  {
    title: "channel",
    sections: allSections["channel-settings"],
    address: (section, id) => `#channels/${id}/design/${section}`,
  },
];

const cases = places.flatMap(({ title, sections, address }) =>
  sections
    .filter((section) => settingsIn(section).some(isDrawn))
    .map((section) => ({ title: `${title}: ${section.id}`, section, address })),
);

test.each(cases)("a change of a setting is saved and shown in another window: $title", async ({ section, address }) => {
  const realm = await newRealm();
  const owner = await realm.user("ada", { role: 100 });
  const channel = await channelOf([owner], "design");
  await channelOf([owner], "moderators", { isPrivate: true });
  success(await owner.call(createChannelFolder, { name: "Teams" }));
  const at = address(section.id, channel.id);
  const [first, second] = await Promise.all([openClient(owner, { at }), openClient(owner, { at })]);
  await Promise.all([first, second].map((page) => page.locator("[id^=setting-]").first().waitFor()));
  // Only owners who have a second factor can require them.
  await withApp(owner);
  for (const setting of settingsIn(section).filter(isDrawn)) {
    if (setting.isOffered && (await control(first, setting).count()) === 0) continue;
    const before = await shown(second, setting);
    await change(first, setting);
    await expect
      .poll(() => shown(second, setting), { message: `${setting.name} in the other window` })
      .not.toBe(before);
    expect(await shown(second, setting), setting.name).toBe(await shown(first, setting));
  }
  // What the server stores is what a new window shows.
  const texts = await Promise.all(
    settingsIn(section)
      .filter(isDrawn)
      .map((setting) => shownIf(first, setting)),
  );
  await goTo(second, "#inbox");
  await second.reload();
  await goTo(second, at);
  await second.locator("[id^=setting-]").first().waitFor();
  expect(
    await Promise.all(
      settingsIn(section)
        .filter(isDrawn)
        .map((setting) => shownIf(second, setting)),
    ),
  ).toEqual(texts);
});

const shownIf = async (page: Page, setting: Setting): Promise<string> =>
  (await control(page, setting).count()) > 0 ? shown(page, setting) : "";
