import type { ScheduledMessage } from "@skein/api/scheduled-messages.ts";
import { beforeEach, afterEach, expect, test, vi } from "vitest";
import { topicConversation } from "./conversations.ts";
import { draftOf, keepDraft } from "./drafts.ts";
import { applyEvents } from "./events.ts";
import { pending } from "./pending.ts";
import { cancelScheduled, changeScheduled, ownZone, schedule, sendNow } from "./scheduled.ts";
import { echoesIn } from "./sending.ts";
import { part, replaceState } from "./state.ts";
import { toasts } from "./toasts.ts";

const logo = topicConversation(7, "logo");
const message: ScheduledMessage = {
  scheduled_message_id: 4,
  type: "stream",
  to: 7,
  topic: "logo",
  content: "Ship it",
  rendered_content: "<p>Ship it</p>",
  scheduled_delivery_timestamp: 2_000_000_000,
  failed: false,
};

/** What the server says to each request, in order. */
let responses: (() => Promise<Response>)[];
let requests: { method: string; body: URLSearchParams }[];
const accepted = async () => Response.json({ result: "success", msg: "", scheduled_message_id: 9 });
const refused = async () =>
  Response.json({ result: "error", msg: "Must be in the future", code: "BAD_REQUEST" }, { status: 400 });
const noResponse = () => Promise.reject(new TypeError("offline"));

beforeEach(() => {
  replaceState({ user_id: 5, scheduled_messages: [message] });
  keepDraft(logo, "");
  pending.value = [];
  toasts.value = [];
  responses = [];
  requests = [];
  vi.stubGlobal("fetch", (_url: string, { method, body }: { method: string; body: URLSearchParams }) => {
    requests.push({ method, body: new URLSearchParams(body) });
    return (responses.shift() ?? accepted)();
  });
});
afterEach(() => vi.unstubAllGlobals());

const texts = () => part("scheduled_messages").value?.map(({ content }) => content);

test("a scheduled message is shown at once, and replaced by the server's", async () => {
  const done = schedule(logo, "Later", 2_000_000_100);
  expect(texts()).toEqual(["Ship it", "Later"]);
  await done;

  applyEvents([
    {
      type: "scheduled_messages",
      op: "add",
      scheduled_messages: [
        { ...message, scheduled_message_id: 9, content: "Later", scheduled_delivery_timestamp: 2_000_000_100 },
      ],
    },
  ]);

  expect(part("scheduled_messages").value?.map(({ scheduled_message_id: id }) => id)).toEqual([4, 9]);
  expect(requests[0]?.body.get("scheduled_delivery_timestamp")).toBe("2000000100");
});

test("a refused one disappears, with the reason", async () => {
  responses = [refused];

  await expect(schedule(logo, "Later", 1)).rejects.toThrow("Must be in the future");

  expect(texts()).toEqual(["Ship it"]);
});

test("an edit that keeps the time does not send it, unless the message has failed", async () => {
  await changeScheduled(message, "Ship it now", message.scheduled_delivery_timestamp);
  await changeScheduled({ ...message, failed: true }, "Ship it", message.scheduled_delivery_timestamp);

  expect(requests.map(({ body }) => body.get("scheduled_delivery_timestamp"))).toEqual([null, "2000000000"]);
});

test("canceling can be undone; when it is too late for that, the text is a draft again", async () => {
  await cancelScheduled(message);
  expect(texts()).toEqual([]);
  applyEvents([{ type: "scheduled_messages", op: "remove", scheduled_message_id: 4 }]);

  responses = [refused];
  toasts.value.at(-1)?.undo?.();

  expect(texts()).toEqual(["Ship it"]);
  await vi.waitFor(() => expect(draftOf(logo)?.text).toBe("Ship it"));
  expect(texts()).toEqual([]);
  expect(toasts.value.at(-1)?.text).toBe("Must be in the future");
});

test("a message is sent now once the server no longer has it scheduled", async () => {
  const answer = Promise.withResolvers<Response>();
  responses = [() => answer.promise];

  const done = sendNow(message);
  expect(echoesIn(logo)).toEqual([]);
  answer.resolve(await accepted());
  await done;

  expect(echoesIn(logo).map(({ content }) => content)).toEqual(["Ship it"]);
});

test("when it was sent in the meantime, it is not sent twice", async () => {
  const before = echoesIn(logo).length;
  responses = [refused];

  await sendNow(message);

  expect(echoesIn(logo)).toHaveLength(before);
  expect(draftOf(logo)).toBeUndefined();
});

test("without a response, the text is kept as a draft", async () => {
  responses = [noResponse];

  await sendNow(message);

  expect(draftOf(logo)?.text).toBe("Ship it");
});

test("times are chosen in the user's time zone, or the device's", () => {
  type Settings = NonNullable<ReturnType<typeof part<"user_settings">>["value"]>;
  const zoned = (timezone: string) =>
    replaceState({ user_id: 5, user_settings: { timezone } as Partial<Settings> as Settings }); // the field in use

  zoned("Asia/Tokyo");
  expect(ownZone()).toBe("Asia/Tokyo");
  zoned("");
  expect(ownZone()).toBe(new Intl.DateTimeFormat().resolvedOptions().timeZone);
});
