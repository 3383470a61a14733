/** For any payload, a formatter returns messages or rejects it, and no message mentions anyone. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { renderMarkdown } from "../../../markdown/render.ts";
import { MissingHeader, UnknownEvent, UnknownShape, type Report } from "./formatter.ts";
import { findIntegration } from "./integrations.ts";
import { harmless, line, link, quote } from "./markdown.ts";
import { everyFixture } from "../../../../test/incoming-webhooks/every-fixture.ts";
import { hostileValues, mutations } from "../../../../test/incoming-webhooks/mutations.ts";

const context = {
  users: [
    { user_id: 3, full_name: "Ophelia" },
    { user_id: 4, full_name: "x" },
  ],
  groups: [
    { id: 8, name: "players" },
    { id: 9, name: "x" },
  ],
};

const mentionsAnybody = (text: string): boolean => {
  const rendered = renderMarkdown(text, context);
  return (
    rendered.mentionsChannel ||
    rendered.mentionsTopic ||
    rendered.mentionedUserIds.length > 0 ||
    rendered.mentionedGroupIds.length > 0 ||
    rendered.html.includes("mention")
  );
};

/** The messages for a payload; none if it is rejected. Throws other errors. */
function reportsOf(name: string, headers: Record<string, string>, payload: unknown): Report[] {
  try {
    const integration = findIntegration(name);
    return integration?.format({ payload, header: (key) => headers[key], option: () => undefined }).reports ?? [];
  } catch (error) {
    if (error instanceof UnknownEvent || error instanceof UnknownShape || error instanceof MissingHeader) return [];
    throw error;
  }
}

test("deliveries with random changes are formatted or rejected, and mention nobody", () => {
  const cases = fc
    .constantFrom(...everyFixture)
    .chain(({ integration, fixture }) =>
      mutations(fixture.payload).map((payload) => ({ integration, headers: fixture.headers, payload })),
    );

  fc.assert(
    fc.property(cases, ({ integration, headers, payload }) => {
      for (const { topic, content } of reportsOf(integration, headers, payload)) {
        expect(mentionsAnybody(harmless(content))).toBe(false);
        // oxlint-disable-next-line no-control-regex -- not allowed in topics
        expect(line(topic, 120)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\p{Cs}/u);
      }
    }),
    { numRuns: 1500 },
  );
});

test("mentions and markup in any field of any delivery are shown as plain text", () => {
  for (const { integration, fixture } of everyFixture)
    for (const value of hostileValues.filter((one) => typeof one === "string" && one.length < 1000)) {
      const everywhere = (its: unknown): unknown => {
        if (typeof its === "string") return its.startsWith("refs/") ? its + String(value) : value;
        if (Array.isArray(its)) return its.map(everywhere);
        if (typeof its !== "object" || its === null) return its;
        return Object.fromEntries(Object.entries(its).map(([key, inside]) => [key, everywhere(inside)]));
      };
      for (const { content } of reportsOf(integration, fixture.headers, everywhere(fixture.payload)))
        expect(mentionsAnybody(harmless(content)), `${fixture.name}: ${content}`).toBe(false);
    }
});

test.for([
  ["@**all** and @*players* and @_**Ophelia**", "@\u200b**all** and @\u200b*players* and @\u200b_**Ophelia**"],
  ["@\u0002**all**", "@\u200b**all**"],
  ["@\u202e**all**", "@\u200b**all**"],
  ["/poll Who?", "\u200b/poll Who?"],
  ["/me waves", "\u200b/me waves"],
  ["/var/log is full", "/var/log is full"],
  ["otto@example.com", "otto@example.com"],
])("%s is harmless", ([text = "", expected]) => {
  expect(harmless(text)).toBe(expected);
});

test.for([
  [link("a ] b", "https://example.com/(x)"), "[a ) b](https://example.com/%28x%29)"],
  [link("[a] b", "https://example.com/"), "[[a] b](https://example.com/)"],
  [link("[a](https://evil.example) b", "https://example.com/"), "[[a] (https://evil.example) b](https://example.com/)"],
  [link("a", "javascript:alert(1)"), "a"],
  [link("a", "not an address"), "a"],
  [line(" a\n\n# b\tc "), "a # b c"],
  [line("one ` two"), "one ' two"],
  [quote("a\n```\nb"), "```` quote\na\n```\nb\n````"],
  [quote(" \n "), ""],
])("untrusted text cannot break the formatting around it: %s", ([made, expected]) => {
  expect(made).toBe(expected);
});
