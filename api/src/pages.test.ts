import { expect, test } from "vitest";
import { z } from "zod";
import { endpoints } from "./all.ts";
import { endpoint } from "./endpoint.ts";
import { createReference, renderPage } from "./pages.ts";

test("the overview leads to a page for every operation", () => {
  const overview = renderPage("/api/docs");

  const links = [...overview.html.matchAll(/<a [^>]*href="([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(overview.status).toBe(200);
  expect(links).toHaveLength(endpoints.length);
  expect(links.map((path) => renderPage(path).status)).toEqual(links.map(() => 200));
});

test("a page tells parameters, answer and a request to try", () => {
  const { html } = renderPage("/api/docs/send-message");

  expect(html).toContain("<b>POST</b> /api/v1/messages");
  expect(html).toContain("integer | string | integer[] | string[]");
  expect(html).toContain("older name subject");
  expect(html).toContain("automatic_new_visibility_policy");
  expect(html).toContain("--data-urlencode &#39;type=direct&#39;");
});

test("a page shows the named types its parameters and answer lead to", () => {
  expect(renderPage("/api/docs/subscribe").html).toContain("<h3>GroupSettingValue</h3>");
  expect(renderPage("/api/docs/get-users").html).toContain("<h3>User</h3>");
});

test("what is not there is said not to be", () => {
  expect(renderPage("/api/docs/nothing")).toMatchObject({ status: 404 });
  expect(renderPage("/api/docs/../etc")).toMatchObject({ status: 404 });
});

test("everything declared is escaped", () => {
  const evil = `<script>alert("1")</script>&'`;
  const render = createReference([
    endpoint({
      operation: "evil",
      method: "POST",
      path: `/${evil}`,
      auth: "user",
      area: evil,
      summary: evil,
      description: evil,
      params: { [evil]: z.string().describe(evil) },
      returns: { [evil]: z.literal(evil).describe(evil) },
    }),
  ]);

  for (const path of ["/api/docs", "/api/docs/evil"]) {
    expect(render(path).html).toContain("&lt;script&gt;");
    expect(render(path).html).not.toContain("<script");
  }
});
