import { expect, test } from "vitest";
import { lookAtAll } from "./pictures-album.ts";
import type { Visitor } from "./pictures-camera.ts";
import { openDemo, openEmptyServer } from "./pictures-organization.ts";
import { firstScreens, screens, type Screen } from "./pictures-screens.ts";

test("every screen of daily use matches its picture", { timeout: 600_000 }, async () => {
  const organization = await openDemo();
  const visitorOf = ({ who = "owner" }: Screen): Visitor => organization[who];

  expect(await lookAtAll(screens(organization), visitorOf)).toEqual([]);
});

test("the first screens of an organization match their pictures", async () => {
  const server = await openEmptyServer();
  const setup: Screen = { name: "setup", at: new URL(server.setupUrl).pathname, ready: "organization" };
  const { search } = new URL(server.setupUrl);

  const before = await lookAtAll([{ ...setup, at: setup.at + search }], () => server.stranger);
  const owner = await server.setUp();
  const after = await lookAtAll(firstScreens, () => owner);

  expect([...before, ...after]).toEqual([]);
});
