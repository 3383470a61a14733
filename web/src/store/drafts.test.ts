import { beforeEach, expect, test, vi } from "vitest";
import { topicConversation, conversationKey } from "./conversations.ts";
import type { Database } from "./database.ts";
import type { Draft } from "./drafts.ts";
import { replaceState } from "./state.ts";
import type { TabMessage } from "./tabs.ts";

const tabs = vi.hoisted(() => ({ posted: [] as TabMessage[], listeners: [] as ((message: TabMessage) => void)[] }));
vi.mock("./tabs.ts", () => ({
  postToTabs: (message: TabMessage) => tabs.posted.push(message),
  onTabMessage: (listener: (message: TabMessage) => void) => tabs.listeners.push(listener),
}));

const logo = topicConversation(7, "logo");
const draft = (text: string, changedAt: number): Draft => ({
  key: conversationKey(logo),
  conversation: logo,
  text,
  changedAt,
});

/** Opens a separate page whose store returns these drafts when it opens. */
async function openPage(kept: () => Promise<unknown[]> = async () => []) {
  vi.resetModules();
  const [drafts, state] = await Promise.all([import("./drafts.ts"), import("./state.ts")]);
  state.replaceState({ user_id: 5 });
  const connection = { getAll: kept };
  const database = { run: (use: (given: unknown) => unknown) => Promise.resolve(use(connection)) };
  const started = drafts.startDrafts(database as unknown as Database); // all that is used of it
  return { ...drafts, started, text: () => drafts.draftOf(logo)?.text };
}

beforeEach(() => {
  tabs.posted.length = 0;
  tabs.listeners.length = 0;
  localStorage.clear();
  replaceState({ user_id: 5 });
});

const receive = (message: TabMessage): void => {
  for (const listener of tabs.listeners) listener(message);
};

test("unreadable drafts are skipped, and the newest version that earlier pages left is loaded", async () => {
  localStorage.setItem("skein-drafts-5", "{broken");
  localStorage.setItem("skein-drafts-5-a", JSON.stringify([draft("of one tab", 20), { key: 3 }]));
  localStorage.setItem("skein-drafts-5-b", JSON.stringify([draft("of another, later", 30)]));

  const { started, text } = await openPage(async () => [draft("in the store", 10), "broken"]);
  await started;

  expect(text()).toBe("of another, later");
  expect(Object.keys(localStorage)).toEqual([]);
});

test("text whose save has not ended when the page is left is there on return", async () => {
  vi.useFakeTimers();
  const { keepDraft } = await openPage(() => new Promise(() => undefined)); // nothing in the store ever ends
  keepDraft(logo, "half a");
  await vi.advanceTimersByTimeAsync(2000);
  expect(JSON.stringify(tabs.posted)).toContain("half a"); // it is being saved
  vi.useRealTimers();

  dispatchEvent(new Event("pagehide"));

  const { started, text } = await openPage();
  await started;
  expect(text()).toBe("half a");
});

test("a draft from another tab is taken over only if it is newer", async () => {
  const { started, text, keepDraft, onDraftFromElsewhere } = await openPage();
  await started;
  const shown: string[] = [];
  onDraftFromElsewhere((each) => shown.push(each.text));
  const now = Date.now() / 1000;

  keepDraft(logo, "here");
  receive({ type: "draft", userId: 5, draft: draft("older", now - 60) });
  receive({ type: "draft", userId: 6, draft: draft("somebody else's", now + 60) });
  expect(text()).toBe("here");
  receive({ type: "draft", userId: 5, draft: draft("newer", now + 60) });
  expect(text()).toBe("newer");
  receive({ type: "draft", userId: 5, draft: draft("", now + 61) });

  expect(text()).toBeUndefined();
  expect(shown).toEqual(["newer", ""]);
});

test("a store that opens late delays nothing, and its drafts are merged when it opens", async () => {
  vi.useFakeTimers();
  const opened = Promise.withResolvers<unknown[]>();
  const { started, text } = await openPage(() => opened.promise);

  await vi.advanceTimersByTimeAsync(1000);
  await started;
  expect(text()).toBeUndefined();
  opened.resolve([draft("in the store", 10)]);
  await vi.advanceTimersByTimeAsync(0);

  expect(text()).toBe("in the store");
  vi.useRealTimers();
});
