import { expect, test } from "vitest";
import { lookAtAll } from "./pictures-album.ts";
import { openDemo } from "./pictures-organization.ts";
import { settingsScreens } from "./pictures-settings-screens.ts";

test("every screen of settings and administration matches its picture", { timeout: 600_000 }, async () => {
  const organization = await openDemo();

  expect(await lookAtAll(settingsScreens(organization), ({ who = "owner" }) => organization[who])).toEqual([]);
});
