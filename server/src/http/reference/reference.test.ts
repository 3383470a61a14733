import { endpoints } from "@skein/api/all.ts";
import { expect, test } from "vitest";
import { policy } from "./layout.ts";
import { allSlugs, renderReference } from "./site.ts";

const limits = { requestsPerMinute: 200, eventReadsPerMinute: 3000, addressRequestsPerMinute: 100 };

const render = (path: string, query?: string) =>
  renderReference({ path, query, site: "https://chat.example.com", limits });

const linksIn = (html: string): string[] =>
  [...html.matchAll(/<a [^>]*href="(\/api\/docs[^"]*)"/g)].map((match) => match[1] ?? "");

test("there is a page for every operation, guide and event, and no link leads nowhere", async () => {
  const paths = new Set(allSlugs.map((slug) => (slug === "" ? "/api/docs" : `/api/docs/${slug}`)));
  expect(endpoints.filter(({ operation }) => !paths.has(`/api/docs/${operation}`))).toEqual([]);

  for (const path of paths) {
    const { status, html } = await render(path);
    expect(status, path).toBe(200);
    expect(linksIn(html).filter((link) => !paths.has(link))).toEqual([]);
    for (const [, anchor = ""] of html.matchAll(/href="#([^"]+)"/g)) expect(html, path).toContain(`id="${anchor}"`);
  }
});

test("the page of an operation has parameters, examples, response, errors and events", async () => {
  const { html } = await render("/api/docs/send-message");

  expect(html).toContain("older name subject");
  expect(html).toContain("automatic_new_visibility_policy");
  expect(html).toContain("https://chat.example.com/api/v1/messages");
  expect(html).toContain("sendMessage");
  expect(html).toContain("REQUEST_VARIABLE_MISSING");
  expect(html).toContain('href="/api/docs/events/message"');
});

test("the page of an event has a real one, and what causes it", async () => {
  const { html } = await render("/api/docs/events/reaction-add");

  expect(html).toContain("emoji_code");
  expect(html).toContain('href="/api/docs/add-reaction"');
});

test("an unknown page returns 404", async () => {
  for (const path of ["/api/docs/nothing", "/api/docs/../etc", "/api/docs/events/nothing"])
    expect(await render(path)).toMatchObject({ status: 404 });
});

test("search needs no script, and finds parameters as well as titles", async () => {
  const { html } = await render("/api/docs", "visibility_policy");
  const main = html.slice(0, html.indexOf("<nav"));

  expect(linksIn(main)).toContain("/api/docs/update-user-topic");
  expect((await render("/api/docs", "xylophone")).html).toContain("No results");
});

test("what is searched for is escaped", async () => {
  const { html } = await render("/api/docs", `<script>alert("1")</script>`);

  expect(html).toContain("&lt;script&gt;");
  expect(html.match(/<script/g)).toHaveLength(1);
});

test("pages run and load nothing of anybody else's", async () => {
  const { html } = await render("/api/docs/get-messages");

  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain("unsafe");
  expect(html).not.toMatch(/ style=| on\w+=/);
});
