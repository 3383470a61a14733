import type { Event } from "@skein/api/events.ts";
import type { DeliveredMessage } from "@skein/api/messages.ts";
import type { SubscriptionObject } from "@skein/api/subscriptions.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { conversationKey, conversationOf } from "./conversations.ts";
import { applyEvents } from "./events.ts";
import { replaceState } from "./state.ts";
import { backlog, inboxOrder, unreadByChannel, unreadConversations, unreadCount } from "./unread.ts";

const me = 5;
const muted = 2;

const channel = (stream_id: number): SubscriptionObject =>
  ({ stream_id, name: `channel ${stream_id}`, is_muted: stream_id === muted, pin_to_top: false }) as SubscriptionObject; // the fields in use

const begin = (): void =>
  replaceState({
    user_id: me,
    subscriptions: [1, 2, 3].map(channel),
    user_topics: [
      { stream_id: 2, topic_name: "b", last_updated: 0, visibility_policy: 2 },
      { stream_id: 1, topic_name: "c", last_updated: 0, visibility_policy: 1 },
    ],
    unread_msgs: { count: 0, pms: [], streams: [], huddles: [], mentions: [], old_unreads_missing: false },
  });

interface Written {
  id: number;
  channel: number | undefined;
  topic: string;
  people: number[];
  isMention: boolean;
}

const person = (id: number) => ({ id, email: "", full_name: "", is_mirror_dummy: false });

const toMessage = ({ id, channel: stream_id, topic, people }: Written): DeliveredMessage =>
  ({
    id,
    ...(stream_id === undefined ? {} : { stream_id }),
    subject: topic,
    display_recipient: stream_id === undefined ? [me, ...people].map(person) : `channel ${stream_id}`,
    sender_id: 9,
    reactions: [],
  }) as unknown as DeliveredMessage; // the fields in use

const arrival = (written: Written): Event => ({
  type: "message",
  message: toMessage(written),
  flags: written.isMention ? ["mentioned"] : [],
});

type Step = { write: Omit<Written, "id"> } | { read: number[] };

const place = fc.oneof(
  fc.record({
    channel: fc.constantFrom(1, 2, 3),
    topic: fc.constantFrom("a", "b", "c", "A"),
    people: fc.constant<number[]>([]),
  }),
  fc.record({
    channel: fc.constant(undefined),
    topic: fc.constant(""),
    people: fc.uniqueArray(fc.constantFrom(7, 8, 9), { minLength: 0, maxLength: 3 }),
  }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(place, fc.boolean()).map(([at, isMention]) => ({ write: { ...at, isMention } })) },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 10 }).map((read) => ({ read })) },
);

const isMutedPlace = ({ channel: id, topic }: Written): boolean => {
  if (id === undefined) return false;
  const name = topic.toLowerCase();
  if (id === 2) return name !== "b";
  return id === 1 && name === "c";
};

test("unread counts match a plain list of messages", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      begin();
      const unread = new Map<number, Written>();
      let id = 0;
      for (const each of steps) {
        if ("write" in each) {
          const written = { ...each.write, id: ++id };
          unread.set(id, written);
          applyEvents([arrival(written)]);
        } else {
          for (const read of each.read) unread.delete(read);
          applyEvents([
            {
              type: "update_message_flags",
              op: "add",
              operation: "add",
              flag: "read",
              messages: each.read,
              all: false,
            },
          ]);
        }
      }

      const all = [...unread.values()];
      const keyOf = (written: Written): string => conversationKey(conversationOf(toMessage(written), me));
      const byKey = Map.groupBy(all, keyOf);
      const shown = Map.groupBy(unreadConversations.value, ({ key }) => key);
      expect(new Set(shown.keys())).toEqual(new Set(byKey.keys()));
      for (const [key, messages] of byKey) {
        const ids = (shown.get(key) ?? []).flatMap((entry) => [...entry.ids]).toSorted((a, b) => a - b);
        expect(ids).toEqual(messages.map((written) => written.id));
      }
      for (const stream of [1, 2, 3]) {
        const counted = all.filter((written) => written.channel === stream && !isMutedPlace(written)).length;
        expect(unreadByChannel.value.get(stream)?.count ?? 0).toBe(counted);
      }
      expect(unreadCount.value).toBe(inboxOrder.value.reduce((sum, { ids }) => sum + ids.length, 0));
    }),
  );
});

test("the Inbox starts with mentions, then direct messages, then channel by channel", () => {
  begin();
  const write = (id: number, more: Partial<Written>): Event =>
    arrival({ id, channel: undefined, topic: "", people: [], isMention: false, ...more });

  applyEvents([
    write(1, { channel: 3, topic: "later" }),
    write(2, { channel: 1, topic: "a" }),
    write(3, { people: [7] }),
    write(4, { channel: 3, topic: "mine", isMention: true }),
    write(5, { channel: 2, topic: "muted" }),
  ]);

  expect(inboxOrder.value.map(({ key }) => key)).toEqual(["topic:3:mine", "direct:7", "topic:1:a", "topic:3:later"]);
  expect(unreadCount.value).toBe(4);
});

test("the backlog holds channel messages older than the newest hundred that mention nobody", () => {
  begin();
  const write = (id: number, more: Partial<Written> = {}): Event =>
    arrival({ id, channel: 1, topic: id % 2 === 0 ? "a" : "b", people: [], isMention: false, ...more });
  applyEvents([
    write(1, { isMention: true }),
    write(2, { channel: undefined, people: [6] }),
    ...Array.from({ length: 103 }, (_, n) => write(n + 3)),
  ]);

  expect(backlog.value).toEqual({ sinceId: 6, ids: [5, 4, 3] });
});
