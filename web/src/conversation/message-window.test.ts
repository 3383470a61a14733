import { batch, effect, signal, untracked } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { listControls, selectedKey } from "../commands/selection.ts";
import { go } from "../navigation/router.ts";
import { narrowOf, topicConversation } from "../store/conversations.ts";
import { applyToLists, invalidateLists, openList, shownLists, type MessageList } from "../store/lists.ts";
import { addMessages, rowKeyOf, type Message } from "../store/messages.ts";
import type { Outgoing } from "../store/outbox.ts";
import { replaceState } from "../store/state.ts";
import { generation } from "../store/sync.ts";
import { maxRows, step } from "./flow-window.ts";
import { MessageWindow, type Scroller, type WindowProps } from "./message-window.ts";
import type { Opening } from "./opening.ts";
import type { Position } from "./scroll-keeper.ts";

const rowHeight = 50;
const screenHeight = 10 * rowHeight;

/** A screen of ten rows, all of one height. */
class Screen implements Scroller {
  keys: string[] = [];
  scrollTop = 0;
  focused: string | undefined;
  position: Position | undefined;
  isAtEnd = false;
  #noted = 0;

  get roomAbove(): number {
    return this.scrollTop;
  }
  get roomBelow(): number {
    return this.#most - this.scrollTop;
  }
  get hasMoved(): boolean {
    return this.scrollTop !== this.#noted;
  }
  get #most(): number {
    return Math.max(0, this.keys.length * rowHeight - screenHeight);
  }
  /** The rows that can be seen. */
  get visible(): string[] {
    return this.keys.filter((_, index) => this.#offset(index) > -rowHeight && this.#offset(index) < screenHeight);
  }

  offsetOf = (key: string): number => this.#offset(this.keys.indexOf(key));
  #offset = (index: number): number => index * rowHeight - this.scrollTop;

  note(canFollow: boolean): void {
    this.isAtEnd = canFollow && this.roomBelow <= 4;
    this.#keep();
  }
  #keep(): void {
    const [key] = this.visible;
    this.position = key === undefined ? undefined : { key, offset: this.offsetOf(key) };
    this.#noted = this.scrollTop;
  }
  restore(): void {
    if (this.isAtEnd) {
      this.placeAtEnd();
      this.#keep();
    } else if (this.position && this.place(this.position)) this.#noted = this.scrollTop;
  }
  place({ key, offset }: Position): boolean {
    if (!this.keys.includes(key)) return false;
    this.scrollTo(this.scrollTop + this.offsetOf(key) - offset);
    return true;
  }
  placeAtEnd = (): void => this.scrollTo(this.#most);
  scrollTo(top: number): void {
    this.scrollTop = Math.max(0, Math.min(this.#most, top));
  }
  page = (by: 1 | -1): void => this.scrollTo(this.scrollTop + by * screenHeight);
  focusRow(key: string): void {
    this.focused = this.keys.includes(key) ? key : this.focused;
  }
}

/** The ids of the server's messages, all in one topic. */
let serverIds: number[] = [];
let firstUnread = Infinity;
/** The anchors of the pages fetched so far. */
let fetched: string[] = [];
let isBroken = false;
/** Responses wait for it. */
let network: Promise<void> = Promise.resolve();
let topics = 0;

const shown: (() => void)[] = [];

beforeEach(() => {
  replaceState({ user_id: 5 });
  serverIds = idsFrom(1, 1000);
  firstUnread = Infinity;
  fetched = [];
  isBroken = false;
  network = Promise.resolve();
  generation.value = 1;
  vi.stubGlobal("fetch", async (path: string) => {
    const { searchParams } = new URL(path, location.origin);
    const answer = page(searchParams);
    fetched.push(searchParams.get("anchor") ?? "");
    await network;
    if (isBroken) return Response.json({ result: "error", msg: "Broken", code: "BAD_REQUEST" }, { status: 400 });
    return Response.json({ result: "success", msg: "", ...answer });
  });
});
afterEach(() => {
  for (const end of shown.splice(0)) end();
  vi.unstubAllGlobals();
});

function idsFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const messageOf = (id: number): Message =>
  ({
    id,
    sender_id: 7,
    stream_id: 1,
    subject: topicName(),
    content: "",
    flags: id < firstUnread ? ["read"] : [],
  }) as unknown as Message; // the fields in use

function page(params: URLSearchParams): object {
  const anchor = params.get("anchor") ?? "";
  const named: Record<string, number> = { newest: Infinity, oldest: serverIds[0] ?? 0, first_unread: firstUnread };
  const at = named[anchor] ?? Number(anchor);
  const index = serverIds.findIndex((id) => id >= at);
  const middle = index < 0 ? serverIds.length : index;
  const start = Math.max(0, middle - Number(params.get("num_before")));
  const end = Math.min(serverIds.length, middle + Number(params.get("num_after")) + 1);
  return {
    messages: serverIds.slice(start, end).map(messageOf),
    found_oldest: start === 0,
    found_newest: end === serverIds.length,
    found_anchor: serverIds.includes(at),
    anchor: serverIds[middle] ?? 1e16,
  };
}

/** Each test has a topic of its own. */
const topicName = (): string => `topic ${topics}`;
const openTopic = (): MessageList => openList(narrowOf(topicConversation(1, topicName()), 5));
const newTopic = (): MessageList => {
  topics++;
  return openTopic();
};

const arrives = (id: number): void => {
  serverIds.push(id);
  const { flags: _flags, ...message } = messageOf(id);
  batch(() => {
    addMessages([messageOf(id)]);
    applyToLists({ id: 0, type: "message", message, flags: [] } as never); // the fields in use
  });
};

const echo = (localId: string): Outgoing => ({
  localId,
  conversation: topicConversation(1, topicName()),
  content: "words",
  writtenAt: 0,
  afterId: 0,
  state: "sending",
  isUncertain: false,
});

/** Shows a list as the component does: it renders what changed, then reports that it is in the page. */
function show(list: MessageList, opening: Opening, more: Partial<WindowProps> = {}) {
  const props = signal<WindowProps>({ list, opening, isMixed: false, echoes: [], ...more });
  const screen = new Screen();
  const messages = new MessageWindow(props.peek());
  let isConnected = false;
  const stop = effect(() => {
    const { rows, slice } = messages.render(props.value);
    untracked(() => {
      screen.keys = rows.slice(slice.start, slice.end).map(({ key }) => key);
      // A browser keeps the scroll position within the page.
      screen.scrollTo(screen.scrollTop);
      if (!isConnected) messages.connect(screen);
      isConnected = true;
      messages.committed();
    });
  });
  const end = (): void => {
    stop();
    messages.dispose();
  };
  shown.push(end);
  return {
    screen,
    messages,
    end,
    /** Resolves when this message is in the page. */
    untilShown: (id: number) => until(() => screen.keys.includes(rowKeyOf(id))),
    change: (changed: Partial<WindowProps>) => (props.value = { ...props.peek(), ...changed }),
    scrollTo: (key: string, offset: number) => {
      expect(screen.place({ key, offset })).toBe(true);
      messages.scrolled();
    },
  };
}

const until = (condition: () => boolean): Promise<boolean> => vi.waitUntil(condition, { timeout: 15_000, interval: 1 });

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve();
};

/** Until the rows around those of the first frame are there, and the pages beyond them. */
const widened = async (): Promise<void> => {
  await new Promise((resume) => requestAnimationFrame(() => setTimeout(() => setTimeout(resume))));
  await settled();
};

test("a list opens at its first unread message, which it marks as new", async () => {
  firstUnread = 401;

  const { screen, messages, untilShown } = show(newTopic(), { at: "first unread" });
  expect(screen.keys).toEqual([]);
  await untilShown(401);

  expect(screen.offsetOf("401")).toBe(96);
  expect(messages.newFromId.value).toBe(401);
  expect(messages.isAway.value).toBe(true);
  expect(fetched[0]).toBe("first_unread");
});

test("without unread messages a list opens at its end; what is in memory is there with the first render", async () => {
  const list = newTopic();
  const first = show(list, { at: "newest" });
  await first.untilShown(1000);
  first.end();
  fetched = [];

  const { screen, messages } = show(list, { at: "newest" });

  expect(screen.visible.at(-1)).toBe("1000");
  expect([screen.isAtEnd, messages.isAway.value]).toEqual([true, false]);
  expect(fetched).toEqual([]);
});

test("the first frame has few rows; the rows around them follow once it is painted", async () => {
  const { screen, untilShown } = show(newTopic(), { at: "message", id: 500 });
  await untilShown(500);
  const offset = screen.offsetOf("500");
  expect(screen.keys.length).toBeLessThan(30);

  await widened();

  expect(screen.keys.length).toBeGreaterThan(60);
  expect(screen.offsetOf("500")).toBe(offset);
});

test("a list opens where it was left, in memory or not", async () => {
  const list = newTopic();
  const first = show(list, { at: "newest" });
  await first.untilShown(1000);
  await widened();
  first.scrollTo("960", -7);
  first.end();

  const second = show(list, { at: "newest" });
  expect(second.screen.offsetOf("960")).toBe(-7);
  second.end();
  invalidateLists();
  fetched = [];
  const third = show(openTopic(), { at: "newest" });
  await third.untilShown(960);

  expect(third.screen.offsetOf("960")).toBe(-7);
  expect(fetched[0]).toBe("960");
});

test("a list left at its end opens at its end, whatever has arrived since", async () => {
  const list = newTopic();
  const first = show(list, { at: "newest" });
  await first.untilShown(1000);
  await widened();
  first.scrollTo("970", 0);
  first.scrollTo("1000", 0);
  first.end();
  for (const id of idsFrom(1001, 1100)) arrives(id);

  const { screen } = show(list, { at: "newest" });

  expect(screen.visible.at(-1)).toBe("1100");
});

test("a list left at a message that was deleted since opens as if for the first time", async () => {
  const first = show(newTopic(), { at: "newest" });
  await first.untilShown(1000);
  await widened();
  first.scrollTo("960", 0);
  first.end();
  invalidateLists();
  serverIds = serverIds.filter((id) => id !== 960);

  const { screen, untilShown } = show(openTopic(), { at: "newest" });
  await untilShown(1000);

  expect(screen.visible.at(-1)).toBe("1000");
});

test("at the end the window follows new messages, elsewhere it stays where it is", async () => {
  const { screen, messages, untilShown, scrollTo } = show(newTopic(), { at: "newest" });
  await untilShown(1000);
  await widened();

  arrives(1001);
  expect(screen.visible.at(-1)).toBe("1001");

  scrollTo("970", -10);
  arrives(1002);
  expect(screen.offsetOf("970")).toBe(-10);
  expect(messages.isAway.value).toBe(true);

  scrollTo("1002", 0);
  arrives(1003);
  expect(screen.visible.at(-1)).toBe("1003");
  expect(messages.isAway.value).toBe(false);
});

test("far from the end, no rows are added to the page for new messages", async () => {
  serverIds = idsFrom(1, 44);
  const { screen, untilShown, scrollTo } = show(newTopic(), { at: "newest" });
  await untilShown(44);
  await widened();
  expect(screen.keys).toHaveLength(44);
  scrollTo("1", -5);

  for (const id of idsFrom(45, 200)) arrives(id);

  expect(screen.keys).toHaveLength(44);
  expect(screen.offsetOf("1")).toBe(-5);
});

test("a reader at the end for a long time has no more rows in the page than elsewhere", async () => {
  const { screen, untilShown } = show(newTopic(), { at: "newest" });
  await untilShown(1000);

  for (const id of idsFrom(1001, 1300)) arrives(id);

  expect(screen.visible.at(-1)).toBe("1300");
  expect(screen.keys.length).toBeLessThanOrEqual(maxRows + step);
});

test("the window moves with the reader, and what is in view stays in place", async () => {
  const { screen, untilShown, scrollTo } = show(newTopic(), { at: "newest" });
  await untilShown(1000);
  await widened();

  for (let top = 990; top > 500; top -= 7) {
    scrollTo(String(top), -3);
    expect(screen.offsetOf(String(top))).toBe(-3);
    await settled();
    expect(screen.offsetOf(String(top))).toBe(-3);
  }

  expect(screen.keys.length).toBeLessThanOrEqual(maxRows + step);
  expect(screen.keys).not.toContain("1000");
});

test("the next page is fetched ahead, once, however often the reader scrolls meanwhile", async () => {
  const { screen, untilShown, scrollTo } = show(newTopic(), { at: "newest" });
  await untilShown(1000);
  let answer = (): void => undefined;
  network = new Promise((resume) => (answer = resume));
  await widened();

  for (const top of ["960", "940", "920", "905", "910"]) scrollTo(top, -5);
  expect(fetched).toEqual(["newest", "901"]);
  answer();
  await untilShown(900);

  expect(screen.offsetOf("910")).toBe(-5);
});

test("after a page failed nothing is fetched ahead until the reader retries, which moves nothing", async () => {
  const list = newTopic();
  const { screen, messages, untilShown, scrollTo } = show(list, { at: "newest" });
  await untilShown(1000);
  isBroken = true;
  await widened();
  await until(() => list.failure.value !== undefined);
  fetched = [];

  scrollTo("960", -5);
  expect(fetched).toEqual([]);
  isBroken = false;
  messages.retry();
  await until(() => list.failure.value === undefined && list.fetches.size === 0);

  expect(fetched).toEqual(["901"]);
  expect(screen.offsetOf("960")).toBe(-5);
});

test("an opening or a jump that failed is tried again by the reader's retry", async () => {
  const list = newTopic();
  isBroken = true;
  const { screen, messages, untilShown } = show(list, { at: "message", id: 100 });
  await until(() => list.failure.value !== undefined);
  isBroken = false;
  messages.retry();
  await untilShown(100);
  expect(list.failure.value).toBeUndefined();

  isBroken = true;
  messages.skipToEnd();
  await until(() => list.failure.value !== undefined);
  isBroken = false;
  messages.retry();
  await untilShown(1000);

  expect(screen.visible.at(-1)).toBe("1000");
});

test("after the queue was replaced the list is fetched around the view, which stays in place", async () => {
  const list = newTopic();
  const { screen, untilShown, scrollTo } = show(list, { at: "newest" });
  await untilShown(1000);
  await widened();
  scrollTo("970", -20);
  serverIds = [...serverIds.filter((id) => id !== 965 && id !== 975), 1001];
  fetched = [];

  batch(() => {
    invalidateLists();
    generation.value++;
  });
  expect(screen.keys).toContain("975");
  await until(() => !list.isStale);

  expect(fetched[0]).toBe("970");
  expect(screen.offsetOf("970")).toBe(-20);
  expect(screen.keys).not.toContain("975");
});

test("after the queue was replaced a reader at the end is still there", async () => {
  const list = newTopic();
  const { screen, untilShown } = show(list, { at: "newest" });
  await untilShown(1000);
  await widened();
  serverIds.push(1001, 1002);

  batch(() => {
    invalidateLists();
    generation.value++;
  });
  await untilShown(1002);

  expect(screen.visible.at(-1)).toBe("1002");
  expect(screen.isAtEnd).toBe(true);
});

test("a message that the reader sends is shown at the end, wherever the reader was", async () => {
  const { screen, change, untilShown, scrollTo } = show(newTopic(), { at: "message", id: 100 });
  await untilShown(100);
  await widened();
  expect(screen.keys).not.toContain("1000");

  change({ echoes: [echo("mine")] });
  await untilShown(1000);

  expect(screen.visible.slice(-2)).toEqual(["1000", "mine"]);
  // With the end in memory, but far from the page.
  await widened();
  for (const top of ["970", "950", "930", "910", "890", "870", "850"]) scrollTo(top, -5);
  expect(screen.keys).not.toContain("1000");
  change({ echoes: [echo("mine"), echo("second")] });
  expect(screen.visible.slice(-2)).toEqual(["mine", "second"]);

  // One fewer is no reason to move.
  scrollTo("990", -5);
  change({ echoes: [echo("second")] });
  expect(screen.offsetOf("990")).toBe(-5);
});

test("an address that asks for another message of the list moves there and highlights it", async () => {
  const { screen, messages, change, untilShown } = show(newTopic(), { at: "newest" });
  await untilShown(1000);
  await widened();

  // A new entry of the history, where the list was never left.
  go("#narrow/near/400");
  change({ opening: { at: "message", id: 400 } });
  await untilShown(400);

  expect(screen.offsetOf("400")).toBe(96);
  expect(messages.targetId.value).toBe(400);
  expect(messages.newFromId.value).toBeUndefined();
});

test("a jump to the end is not undone by an opening that was still being fetched", async () => {
  let answer = (): void => undefined;
  network = new Promise((resume) => (answer = resume));
  const { screen, messages, untilShown } = show(newTopic(), { at: "message", id: 100 });

  messages.skipToEnd();
  answer();
  await untilShown(1000);
  await settled();

  expect(screen.visible.at(-1)).toBe("1000");
});

test("keys move the selection within the list, and to the end past what was not read", async () => {
  let skips = 0;
  const { screen, untilShown, scrollTo } = show(newTopic(), { at: "newest" }, { onSkipped: () => skips++ });
  await untilShown(1000);
  await widened();
  const controls = listControls.value;

  controls?.focus();
  expect(screen.focused).toBe("1000");
  selectedKey.value = "990";
  controls?.move(-1);
  expect(screen.focused).toBe("989");
  selectedKey.value = "1000";
  controls?.move(5);
  expect(screen.focused).toBe("1000");
  expect(skips).toBe(0);

  scrollTo("960", 0);
  controls?.moveToEnd();
  expect([screen.visible.at(-1), screen.focused, skips]).toEqual(["1000", "1000", 1]);
});

test("at the end, a row that grows because the reader opened it does not push what is in view away", async () => {
  const { screen, messages } = show(newTopic(), { at: "newest" });
  await vi.waitFor(() => expect(screen.visible.at(-1)).toBe("1000"));
  await widened();
  const [first = ""] = screen.visible;
  const before = screen.offsetOf(first);

  listControls.value?.stay?.();
  expect(screen.isAtEnd).toBe(false);
  messages.resized();
  expect(screen.offsetOf(first)).toBe(before);
  messages.scrolled();
  expect(screen.isAtEnd).toBe(true);
});

test("Home goes to the very first message and End to the very last, in memory or not", async () => {
  const { screen } = show(newTopic(), { at: "newest" });
  await vi.waitFor(() => expect(screen.visible.at(-1)).toBe("1000"));

  listControls.value?.moveToStart();
  expect(screen.visible).toContain("1000");
  await vi.waitFor(() => expect(screen.focused).toBe("1"));
  expect(screen.visible[0]).toBe("1");
  expect(fetched).toContain("oldest");

  listControls.value?.moveToEnd();
  expect([screen.visible.at(-1), screen.focused]).toEqual(["1000", "1000"]);
  const asked = fetched.length;
  listControls.value?.moveToStart();
  expect([screen.visible[0], screen.focused]).toEqual(["1", "1"]);
  expect(fetched).toHaveLength(asked);
});

test("a jump that another overtakes focuses nothing", async () => {
  const { screen } = show(newTopic(), { at: "newest" });
  await vi.waitFor(() => expect(screen.visible.at(-1)).toBe("1000"));
  const answer = Promise.withResolvers<void>();
  network = answer.promise;

  listControls.value?.moveToStart();
  listControls.value?.moveToEnd();
  answer.resolve();
  await vi.waitFor(() => expect(fetched).toContain("oldest"));
  await Promise.resolve();

  expect([screen.visible.at(-1), screen.focused]).toEqual(["1000", "1000"]);
});

test("the top message is known for the bar above it, unless nothing is above", async () => {
  serverIds = idsFrom(1, 30);
  const { messages, untilShown, scrollTo } = show(newTopic(), { at: "newest" });
  await untilShown(30);
  await widened();

  scrollTo("7", -10);
  expect(messages.topId.value).toBe(7);
  scrollTo("1", 0);
  expect(messages.topId.value).toBeUndefined();
});

test("the newest message fetched for the opening is reported, so that the address can follow a renamed topic", async () => {
  const opened: number[] = [];
  const { untilShown } = show(newTopic(), { at: "newest" }, { onOpened: (id) => opened.push(id) });
  await untilShown(1000);

  expect(opened).toEqual([1000]);
});

test("disposing stops everything, including what is still being fetched", async () => {
  const list = newTopic();
  let answer = (): void => undefined;
  network = new Promise((resume) => (answer = resume));
  const opened: number[] = [];
  const { screen, messages, end } = show(list, { at: "newest" }, { onOpened: (id) => opened.push(id) });
  expect(shownLists()).toContain(list);
  expect(listControls.value).toBeDefined();

  end();
  answer();
  await until(() => list.runs.value.length > 0);
  fetched = [];
  batch(() => {
    invalidateLists();
    generation.value++;
  });
  messages.scrolled();
  messages.resized();
  await widened();

  expect([opened, fetched, screen.keys]).toEqual([[], [], []]);
  expect(shownLists()).not.toContain(list);
  expect([listControls.value, selectedKey.value]).toEqual([undefined, undefined]);
});

test("disposing a list leaves the keys to the one shown in its place", async () => {
  const first = show(newTopic(), { at: "newest" });
  const second = show(newTopic(), { at: "newest" });
  const controls = listControls.value;

  first.end();
  expect(listControls.value).toBe(controls);
  second.end();
  expect(listControls.value).toBeUndefined();
});
