import fc from "fast-check";
import { expect, test } from "vitest";
import { directConversation, topicConversation } from "../store/conversations.ts";
import type { Term } from "../store/narrow.ts";
import { decodeHash, encodeHash } from "./hash-encoding.ts";
import { formatNarrow, formatPlace, parseNarrow, parsePlace, type Names, type Place } from "./place.ts";

const names: Names = {
  ownId: 5,
  channelName: (id) => ({ 7: "design", 8: "Q&A / 2.0 (old)" })[id],
  channelId: (name) => ({ design: 7 })[name],
  personName: (id) => ({ 9: "Ada Lovelace" })[id],
};

const id = fc.integer({ min: 1, max: 1e9 });
// A name that begins with a digit would be read as an id, so we always write ids.
const words = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
const term: fc.Arbitrary<Term> = fc
  .oneof(
    fc.record({ operator: fc.constant("channel"), operand: id }),
    fc.record({ operator: fc.constantFrom("topic", "search", "is", "has"), operand: words }),
    fc.record({ operator: fc.constant("dm"), operand: fc.uniqueArray(id, { minLength: 1, maxLength: 5 }) }),
    fc.record({ operator: fc.constantFrom("near", "with", "id"), operand: id }),
  )
  .chain((made) => fc.boolean().map((negated) => (negated ? { ...made, negated: true as const } : made)));

// Includes lone surrogates.
const anySign = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));

test("any text survives a round trip through an address", () => {
  fc.assert(
    fc.property(fc.string({ unit: anySign, maxLength: 40 }), (text) => {
      const encoded = encodeHash(text);
      expect(encoded).toMatch(/^[\w.~-]*$/);
      expect(decodeHash(encoded)).toBe(text.toWellFormed());
    }),
  );
});

test("any narrow survives a round trip through its address", () => {
  fc.assert(
    fc.property(fc.array(term, { minLength: 1, maxLength: 6 }), (narrow) => {
      const segments = formatNarrow(narrow, names).replace("#narrow/", "").split("/");
      expect(parseNarrow(segments, names)).toEqual(narrow);
    }),
  );
});

const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ kind: fc.constant("inbox" as const), tab: fc.constantFrom("unread" as const, "recent", "followed") }),
  fc.record({
    kind: fc.constant("conversation" as const),
    conversation: fc.oneof(
      fc.tuple(id, fc.string({ unit: "grapheme" })).map(([channel, topic]) => topicConversation(channel, topic)),
      fc.array(id, { maxLength: 4 }).map((people) => directConversation(people, names.ownId)),
    ),
  }),
  fc.record({
    kind: fc.constant("channel" as const),
    channelId: id,
    tab: fc.constantFrom("topics" as const, "feed"),
  }),
  fc.record({
    kind: fc.constant("messages" as const),
    narrow: fc.constantFrom<Term[]>(
      [],
      [{ operator: "is", operand: "starred" }],
      [{ operator: "search", operand: "a b" }],
    ),
  }),
  fc.record({ kind: fc.constantFrom("drafts" as const, "scheduled", "channels", "direct-messages") }),
  fc.record({ kind: fc.constant("user" as const), userId: id }),
  fc.record({
    kind: fc.constantFrom("settings" as const, "organization"),
    section: fc.constantFrom("users", "profile"),
  }),
);

test("any place survives a round trip through its address", () => {
  fc.assert(
    fc.property(place, (at) => {
      expect(parsePlace(formatPlace(at, names), names)).toEqual(at);
    }),
  );
});

test.each([
  ["#narrow/channel/7-design/topic/logo/with/123", topicConversation(7, "logo"), { with: 123 }],
  ["#narrow/stream/7-design/subject/logo/near/123", topicConversation(7, "logo"), { near: 123 }],
  ["#narrow/stream/design/topic/logo.20.26.20more", topicConversation(7, "logo & more"), {}],
  ["#narrow/dm/9,10-group", directConversation([9, 10], 5), {}],
  ["#narrow/pm-with/5,9-group", directConversation([9], 5), {}],
  ["#narrow/dm/5-Me", directConversation([], 5), {}],
])("%s is a conversation", (address, conversation, more) => {
  expect(parsePlace(address, names)).toEqual({ kind: "conversation", conversation, ...more });
});

test("addresses are readable by people and by other clients", () => {
  const topic = { kind: "conversation", conversation: topicConversation(7, "logo (v2)"), with: 12 } as const;

  expect(formatPlace(topic, names)).toBe("#narrow/channel/7-design/topic/logo.20.28v2.29/with/12");
  expect(formatPlace({ kind: "conversation", conversation: directConversation([9], 5) }, names)).toBe(
    "#narrow/dm/9-Ada-Lovelace",
  );
  expect(formatPlace({ kind: "channel", channelId: 8, tab: "feed" }, names)).toBe(
    "#narrow/channel/8-Q.26A-2.2E0-.28old.29",
  );
});

test.each(["#nonsense", "#narrow/channel/nowhere.", "#narrow/topic/.ZZ", "#user/x", "#topics/channel/gone"])(
  "%s leads nowhere, or to a list, and never throws",
  (address) => {
    expect(["unknown", "messages"]).toContain(parsePlace(address, names).kind);
  },
);
