/** The screens of daily use, with the steps that lead to each. */
import type { Page } from "playwright-core";
import type { Width } from "./pictures-camera.ts";
import type { Organization } from "./pictures-organization.ts";

export interface Screen {
  name: string;
  /** The address without the #, or a path. */
  at: string;
  /** The text that shows that it has loaded. */
  ready: string;
  /** Steps to take first. Each screen with steps has its own window. */
  act?: (page: Page) => Promise<unknown>;
  who?: "owner" | "reader" | "stranger";
  /** The width it is relevant for; both by default. */
  width?: Width;
  /** Light and dark for both widths; by default light where it is wide, dark where it is narrow. */
  isInBothSchemes?: true;
}

const composer = (page: Page) => page.locator("main form textarea");
const messages = (page: Page) => page.getByRole("feed").getByRole("article");

/** Presses a key on the message with these words, and waits for a text. */
const onMessage = (words: string, key: string, seen: string) => async (page: Page) => {
  await messages(page).filter({ hasText: words }).first().focus();
  await page.keyboard.press(key);
  await page.getByText(seen).first().waitFor();
};

export function screens({ topic, direct, channel, person }: Organization): Screen[] {
  const calendar = topic("design", "Empty states for the planting calendar");
  const onboarding = topic("design", "Onboarding illustrations");
  const charts = topic("design", "Dark mode, contrast of charts");
  return [
    { name: "log-in", at: "/login/", ready: "Sign in", who: "stranger", isInBothSchemes: true },
    {
      name: "log-in-refused",
      at: "/login/",
      ready: "Sign in",
      who: "stranger",
      act: async (page) => {
        await page.getByLabel("E-mail").fill("olive@example.com");
        await page.locator("input[name=password]").fill("not the password");
        await page.keyboard.press("Enter");
        await page.getByText("Wrong e-mail address").waitFor();
      },
    },
    { name: "inbox-unread", at: "#inbox", ready: "They signed", isInBothSchemes: true },
    { name: "inbox-recent", at: "#recent", ready: "They signed" },
    { name: "inbox-followed", at: "#inbox/followed", ready: "4.13: what goes in" },
    { name: "inbox-empty", at: "#inbox", ready: "You’re all caught up", who: "reader" },
    { name: "channel-topics", at: channel("design"), ready: "I can do either by Thursday", isInBothSchemes: true },
    { name: "channel-feed", at: channel("design", "feed"), ready: "Next round is up", isInBothSchemes: true },
    { name: "channels", at: "#channels", ready: "How it looks and how it feels" },
    {
      name: "sidebar-hidden",
      at: "#inbox",
      ready: "They signed",
      width: 1440,
      act: async (page) => {
        await page.getByRole("button", { name: "Hide sidebar" }).click();
        await page.getByRole("button", { name: "Open sidebar" }).waitFor();
      },
    },
    { name: "conversation-unread", at: onboarding, ready: "I am good at geese", isInBothSchemes: true },
    { name: "conversation-picture", at: calendar, ready: "this went faster than the beans", isInBothSchemes: true },
    { name: "conversation-code", at: charts, ready: "They will read the same file", isInBothSchemes: true },
    {
      name: "conversation-table",
      at: topic("design", "✔ The right green"),
      ready: "Changed in 212 places",
      isInBothSchemes: true,
    },
    {
      name: "conversation-poll",
      at: topic("design", "Carrot or parsnip"),
      ready: "widens the greens",
      isInBothSchemes: true,
    },
    { name: "direct", at: direct("Kofi Mensah"), ready: "The disk is fine again", isInBothSchemes: true },
    { name: "direct-group", at: direct("Inês Carvalho", "Priya Raghunathan"), ready: "That one has a page number" },
    { name: "direct-messages", at: "#direct-messages", ready: "They signed" },
    { name: "mentions", at: "#narrow/is/mentioned", ready: "this one is yours to decide" },
    { name: "starred", at: "#narrow/is/starred", ready: "Nothing planted yet" },
    { name: "search-found", at: "#narrow/search/carrot", ready: "6 messages", isInBothSchemes: true },
    { name: "search-nothing", at: "#narrow/search/rhinoceros", ready: "Search all public channels" },
    { name: "drafts", at: "#drafts", ready: "I slept over it" },
    {
      name: "schedule",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await composer(page).fill("Sowing starts today: who has the beans?");
        await page.getByRole("button", { name: "Send later" }).click();
        await page.getByRole("menuitem", { name: "Pick a time…" }).waitFor();
      },
    },
    {
      name: "schedule-time",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await composer(page).fill("Sowing starts today: who has the beans?");
        await page.getByRole("button", { name: "Send later" }).click();
        await page.getByRole("menuitem", { name: "Pick a time…" }).click();
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "rename-topic",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await page.getByRole("button", { name: "Conversation actions" }).click();
        await page.getByRole("menuitem", { name: "Rename topic" }).click();
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "kept-unread",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        // Never answered: other pictures show the same messages as read.
        await page.route("**/json/messages/flags", () => undefined);
        await onMessage("Twelve dotted beds", "Shift+U", "Messages stay unread")(page);
      },
    },
    { name: "nowhere", at: "#nonsense", ready: "Nothing here" },
    { name: "panel-people", at: `${calendar}?panel=details/people`, ready: "Participants" },
    { name: "panel-files", at: `${calendar}?panel=details/files`, ready: "calendar-mock-up" },
    { name: "panel-about", at: `${calendar}?panel=details/about`, ready: "Created" },
    { name: "panel-profile", at: `${calendar}?panel=user/${person("Kofi Mensah")}`, ready: "If it has a disk" },
    {
      name: "panel-history",
      at: charts,
      ready: "They will read the same file",
      act: onMessage("Done for all six series", "Shift+H", "Sent by"),
    },
    {
      name: "panel-receipts",
      at: charts,
      ready: "They will read the same file",
      act: onMessage("Done for all six series", "Shift+V", "Read by"),
    },
    {
      name: "message-hover",
      at: calendar,
      ready: "this went faster than the beans",
      width: 1440,
      act: (page) => messages(page).filter({ hasText: "Twelve dotted beds" }).hover(),
    },
    {
      name: "message-menu",
      at: calendar,
      ready: "this went faster than the beans",
      act: onMessage("Twelve dotted beds", "i", "Reply in a new topic"),
    },
    {
      name: "message-edit",
      at: direct("Kofi Mensah"),
      ready: "The disk is fine again",
      act: async (page) => {
        await messages(page).filter({ hasText: "And the PostgreSQL date stands?" }).focus();
        await page.keyboard.press("e");
        await page.getByRole("textbox", { name: "Edit message" }).waitFor();
      },
    },
    {
      name: "message-delete",
      at: direct("Kofi Mensah"),
      ready: "The disk is fine again",
      act: async (page) => {
        await onMessage("And the PostgreSQL date stands?", "i", "Delete")(page);
        await page.getByRole("menuitem", { name: "Delete" }).click();
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "move",
      at: charts,
      ready: "They will read the same file",
      act: onMessage("Will the apps get", "m", "people are subscribed"),
    },
    {
      name: "react",
      at: calendar,
      ready: "this went faster than the beans",
      act: onMessage("Twelve dotted beds", ":", "Smileys"),
    },
    {
      name: "follow-or-mute",
      at: onboarding,
      ready: "I am good at geese",
      act: async (page) => {
        await page.getByRole("button", { name: /^Notifications/ }).click();
        await page.getByText("Get notified about every message.").waitFor();
      },
    },
    {
      name: "composer-typeahead",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await composer(page).pressSequentially("Could we show it to @ma");
        await page.getByRole("option").first().waitFor();
      },
    },
    {
      name: "composer-preview",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await composer(page).fill(
          "Two things before we **ship**:\n\n1. the sentence, in `de` and `pt`\n2. kale for everybody :seedling:\n\n> Nobody north of Seville sows beans in February.",
        );
        await page.keyboard.press("Alt+p");
        await page.locator("form ol").waitFor();
      },
    },
    {
      name: "start-topic",
      at: channel("design"),
      ready: "I can do either by Thursday",
      act: async (page) => {
        await composer(page).fill("Settings page: shall the switches save by themselves?");
        await page.getByText("Continue “Settings page").waitFor();
      },
    },
    {
      name: "failed-send",
      at: direct("Kofi Mensah"),
      ready: "The disk is fine again",
      act: async (page) => {
        await page.route("**/json/messages", (route) =>
          route.request().method() === "POST"
            ? route.fulfill({ status: 400, json: { result: "error", msg: "Message too long", code: "BAD_REQUEST" } })
            : route.continue(),
        );
        await composer(page).fill("Thank you! The coffee is on its way, in two parcels.");
        await page.keyboard.press("Control+Enter");
        await page.getByText("Message too long").first().waitFor();
      },
    },
    {
      name: "read-only",
      at: direct("Kofi Mensah"),
      ready: "The disk is fine again",
      act: async (page) => {
        const message = "Read-only until 22:00 UTC, while we move to a new database.";
        // As the server's responses, which other windows need without it.
        await page.route("**/json/**", async (route) => {
          const response = await route.fetch().catch(() => undefined); // the window is gone
          const headers = { ...response?.headers(), "skein-maintenance": encodeURIComponent(message) };
          if (response) await route.fulfill({ response, headers });
        });
        await page.reload();
        await page.getByText("The disk is fine again").first().waitFor();
        await page.getByRole("main").getByText(message).waitFor();
      },
    },
    {
      name: "palette",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("option").first().waitFor();
      },
    },
    {
      name: "palette-query",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox").fill("gree");
        await page.getByText("Search messages for").waitFor();
      },
    },
    {
      name: "search",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("/");
        await page.getByRole("combobox").pressSequentially("channel:desi");
        await page.getByRole("option").first().waitFor();
        await page.keyboard.press("Enter");
        await page.getByRole("combobox").pressSequentially("sender:");
        await page.getByRole("option").nth(2).waitFor();
      },
    },
    {
      name: "create-channel",
      at: "#channels",
      ready: "How it looks and how it feels",
      act: async (page) => {
        await page.getByRole("button", { name: "Create a channel" }).last().click();
        await page.getByRole("dialog").getByLabel("Name").fill("greenhouse");
      },
    },
    {
      name: "invite",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("combobox").fill("invite");
        await page.keyboard.press("Enter");
        const field = page.getByRole("dialog").getByLabel("E-mail addresses");
        await field.fill("rosa@example.com, bert@example.org ");
        await field.press("Enter");
      },
    },
    {
      name: "new-direct",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("x");
        await page.getByLabel("To", { exact: true }).fill("ma");
        await page.getByRole("option").first().waitFor();
      },
    },
    {
      name: "views",
      at: onboarding,
      ready: "Onboarding",
      width: 1440,
      act: async (page) => {
        await page.getByRole("button", { name: "You", exact: true }).click();
        await page.getByRole("menuitem", { name: "Views in the sidebar" }).click();
        await page.getByText("Add the current page").waitFor();
      },
    },
    {
      name: "keys",
      at: "#inbox",
      ready: "They signed",
      act: async (page) => {
        await page.keyboard.press("?");
        await page.getByRole("dialog").waitFor();
      },
    },
    {
      name: "lightbox",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await onMessage("Second round of the empty calendar", "v", "calendar-mock-up.png")(page);
        await page.getByRole("dialog").getByRole("img").first().waitFor();
      },
    },
    {
      name: "marked-read",
      at: "#inbox",
      ready: "They signed",
      width: 1440,
      act: async (page) => {
        await page.route("**/json/messages/flags", (route) => route.abort());
        await page.getByRole("button", { name: "Mark everything as read" }).click();
        await page.getByText("marked as read").first().waitFor();
      },
    },
    {
      name: "sidebar",
      at: "#inbox",
      ready: "They signed",
      width: 390,
      act: async (page) => {
        await page.getByRole("button", { name: "More", exact: true }).click();
        await page.getByRole("navigation", { name: "Conversations" }).getByText("Priya").first().waitFor();
      },
    },
    {
      name: "offline",
      at: calendar,
      ready: "this went faster than the beans",
      act: async (page) => {
        await page.waitForFunction(hasItsFaces);
        await page.context().setOffline(true);
        await page.getByText("You’re offline").first().waitFor();
      },
    },
  ];
}

/** Runs in the page: whether the avatars in view have loaded. */
const hasItsFaces = (): boolean =>
  [...document.querySelectorAll<HTMLImageElement>("[role=feed] img")].every((image) => {
    const { top, bottom } = image.getBoundingClientRect();
    return bottom < 0 || top > innerHeight || (image.complete && image.naturalWidth > 0);
  });

/** A new organization. */
export const firstScreens: Screen[] = [
  { name: "first-inbox", at: "#inbox", ready: "Invite people" },
  {
    name: "first-channel",
    at: "#inbox",
    ready: "Say hello",
    act: async (page) => {
      await page.getByText("Say hello").click();
      await page.getByRole("heading", { name: "general", level: 1 }).waitFor();
    },
  },
];
