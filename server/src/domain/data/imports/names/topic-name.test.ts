import fc from "fast-check";
import { expect, test } from "vitest";
import {
  distinctName,
  firstSentence,
  isResolved,
  shortenName,
  talkTopic,
  threadName,
  tidyLine,
  withSuffix,
} from "./topic-name.ts";

const at = Date.UTC(2024, 2, 5, 10, 30) * 1000;

test.for([
  [
    "Which bulb do we order for the north tower? The old one is hard to get.",
    "Which bulb do we order for the north tower?",
  ],
  ["Weekly check. Nothing odd.", "Weekly check. Nothing odd"],
  ["Short one! And a second sentence that is longer.", "Short one! And a second sentence that is longer"],
  ["\n  \n\tSecond line: ", "Second line"],
  ["✔ ✔Done", "Done"],
  ["霧が出た。今夜は二人で当番をする。", "霧が出た。今夜は二人で当番をする"],
  ["a\u200bb\u0000c\u202e d\u00a0\u2003e", "abc d e"],
  ["version 1.2.3 is out now; update", "version 1.2.3 is out now; update"],
  ["Exactly 14 cha. Rest", "Exactly 14 cha"],
  ["Exactly 13 ch. Rest", "Exactly 13 ch. Rest"],
  ["...", ""],
  ["", ""],
])("the first sentence of %j", ([text = "", sentence]) => {
  expect(firstSentence(text)).toBe(sentence);
});

test.for([
  [
    "The rotation motor of the east lamp makes a grinding noise whenever",
    "The rotation motor of the east lamp makes a grinding…",
  ],
  [`${"x".repeat(57)} y`, `${"x".repeat(57)}…`],
  ["x".repeat(58), "x".repeat(58)],
  ["x".repeat(59), `${"x".repeat(57)}…`],
  ["😀".repeat(58), "😀".repeat(58)],
  [`${"a".repeat(40)} - ${"b".repeat(40)}`, `${"a".repeat(40)}…`],
  [`${"a".repeat(20)} ${"b".repeat(60)}`, `${"a".repeat(20)} ${"b".repeat(36)}…`],
])("%j is shortened", ([name = "", short]) => {
  expect(shortenName(name)).toBe(short);
});

test("without a text the name is that of a file, then the time", () => {
  expect(threadName({ texts: ["", "\n"], fileNames: ["", "✔ tower plan v2.pdf"], at })).toBe("tower plan v2.pdf");
  expect(threadName({ texts: [":", "Gauge 3 is silent"], at })).toBe("Gauge 3 is silent");
  expect(threadName({ texts: [""], at })).toBe("thread of 2024-03-05 10:30");
});

test("talk belongs to its month in UTC", () => {
  expect(talkTopic(Date.UTC(2024, 0, 31, 23, 59, 59) * 1000 + 999_900)).toBe("channel talk · 2024-01");
  expect(talkTopic(Date.UTC(2024, 1, 1) * 1000)).toBe("channel talk · 2024-02");
});

test("a name that is taken gets the day, then a number", () => {
  const taken = new Set<string>();
  const take = (name: string): string => {
    const distinct = distinctName(name, at, (candidate) => taken.has(candidate.toLowerCase()));
    taken.add(distinct.toLowerCase());
    return distinct;
  };

  expect(["Order", "ORDER", "order", "Order"].map(take)).toEqual([
    "Order",
    "ORDER (2024-03-05)",
    "order (2024-03-05 2)",
    "Order (2024-03-05 3)",
  ]);
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 200 }),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc
    .array(fc.constantFrom("lamp", "🙂", "a", ". ", " ", "  ", "…", "✔", "\n", "-", ":", "。", "x".repeat(30)), {
      maxLength: 30,
    })
    .map((words) => words.join("")),
);
const lengthOf = (text: string): number => Array.from(text).length;

test("a name always fits, has one line, and does not look resolved", () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const name = threadName({ texts: [text], at });
      expect(lengthOf(name)).toBeLessThanOrEqual(58);
      expect(name).not.toBe("");
      expect(name).not.toMatch(/\n|^✔|^\s|\s$/u);
      expect(tidyLine(name)).toBe(name);
    }),
  );
});

test("a name with a suffix fits, and does not depend on whether it was shortened before", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 999 }), (text, number) => {
      const sentence = firstSentence(text);
      const suffix = number === 1 ? " (2024-03-05)" : ` (2024-03-05 ${number})`;
      const name = withSuffix(shortenName(sentence), suffix);
      expect(lengthOf(name)).toBeLessThanOrEqual(58);
      expect(name).toBe(withSuffix(sentence, suffix));
    }),
  );
});

test("many threads with the same text never share a name", () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 20 }), (texts) => {
      const taken = new Set<string>();
      for (const text of [...texts, ...texts, ...texts]) {
        const name = distinctName(threadName({ texts: [text], at }), at, (candidate) =>
          taken.has(candidate.toLowerCase()),
        );
        taken.add(name.toLowerCase());
      }
      expect(taken.size).toBe(3 * texts.length);
    }),
  );
});

test.for([
  [
    true,
    [
      { emojiName: "check", people: ["author"] },
      { emojiName: "+1", people: ["a", "b", "c"] },
    ],
  ],
  [true, [{ emojiName: "check_mark", people: ["author"] }]],
  [
    true,
    [
      { emojiName: "check", people: ["a", "b"] },
      { emojiName: "eyes", people: ["c"] },
    ],
  ],
  [
    false,
    [
      { emojiName: "check", people: ["a"] },
      { emojiName: "eyes", people: ["c"] },
    ],
  ],
  [false, [{ emojiName: "eyes", people: ["author"] }]],
  [false, []],
] as const)("resolved is %j for %j", ([resolved, reactions]) => {
  expect(isResolved("author", reactions)).toBe(resolved);
});
