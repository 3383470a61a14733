/** W7. Nothing private: a bot with the same rights can do everything the client does. Every window of every test is checked. */
import { documentedEndpoints } from "@skein/api/all.ts";
import { expect, test } from "vitest";
import { channelOf, sendToChannel, sendDirect } from "../../server/test/actions.ts";
import { composer, goTo, messages, newRealm, openClient, send, useClient } from "./client.ts";
import { complaintAbout, usedOperations } from "./contract.ts";

useClient();

const ask = (method: string, path: string, body?: string): string | undefined =>
  complaintAbout({ method, url: new URL(path, "http://here.invalid"), body });

test("W7: an undeclared path, method or parameter is detected", () => {
  expect(ask("GET", "/json/messages?anchor=newest&num_before=1&num_after=0")).toBeUndefined();
  expect(ask("POST", "/json/messages", "type=direct&to=%5B7%5D&content=x")).toBeUndefined();
  expect(ask("GET", "/json/web/state")).toBe("GET /json/web/state is not in the contract");
  expect(ask("PUT", "/json/messages")).toBe("PUT /json/messages is not in the contract");
  expect(ask("GET", "/api/internal/state")).toBe("GET /api/internal/state is not in the contract");
  expect(ask("GET", "/json/messages?anchor=newest&fast=1")).toBe("GET /json/messages has no parameter fast");
  expect(ask("POST", "/json/messages", "type=direct&urgent=1")).toBe("POST /json/messages has no parameter urgent");
});

test("W7: visiting all places requests only what is declared", async () => {
  const realm = await newRealm();
  const [ada, bo] = await Promise.all([realm.user("ada"), realm.user("bo")]);
  const channel = await channelOf([ada, bo], "design");
  await sendToChannel(bo, channel, { topic: "logo", content: "What do you think?" });
  await sendDirect(bo, [ada], { content: "Psst" });
  const page = await openClient(ada, { at: `#narrow/channel/${channel.id}/topic/logo` });
  const panel = page.getByRole("complementary");
  await messages(page).getByText("What do you think?").waitFor();

  await send(page, "I like it");
  await composer(page).press("Escape");
  await page.keyboard.press("Home");
  await page.keyboard.press("+");
  await page.keyboard.press("Control+s");
  for (const [key, shown] of [
    ["u", "Joined"],
    ["Shift+V", /Read by|No one has read/],
    ["w", "Participants"],
  ] as const) {
    await page.keyboard.press(key);
    await panel.getByText(shown).first().waitFor();
  }
  for (const [address, shown] of [
    ["#recent", "Psst"],
    [`#topics/channel/${channel.id}`, "logo"],
    [`#narrow/channel/${channel.id}`, "I like it"],
    ["#narrow/search/think", "1 message"],
    ["#narrow/is/starred", "What do"],
    ["#channels", "design"],
    ["#inbox", "Psst"],
  ] as const) {
    await goTo(page, address);
    await page.locator("#main").getByText(shown).first().waitFor();
  }

  const declared = new Set(documentedEndpoints.map(({ operation }) => operation));
  expect([...usedOperations()].filter((operation) => !declared.has(operation))).toEqual([]);
  expect([...usedOperations()]).toEqual(
    expect.arrayContaining([
      "register-queue",
      "get-event-stream",
      "get-messages",
      "send-message",
      "add-reaction",
      "update-message-flags",
      "get-read-receipts",
      "get-stream-topics",
    ]),
  );
});
