/** What is said of each delivery; nothing but text goes in and out. */
import { expect, test } from "vitest";
import { UnknownEvent, UnknownShape, MissingHeader } from "./formatter.ts";
import { github } from "./github/github.ts";
import { gitlab } from "./gitlab/gitlab.ts";
import type { Integration } from "./integration.ts";
import { describedIntegrations, findIntegration, integrations } from "./integrations.ts";
import { sentry } from "./sentry.ts";
import type { Fixture } from "./test-data/fixture.ts";
import { everyFixture, fixtures } from "./test-data/every-fixture.ts";

const format = (integration: Integration, { headers, payload, options = {} }: Omit<Fixture, "name" | "reports">) =>
  integration.format({
    payload,
    header: (name) => headers[name],
    option: (key) => (Object.hasOwn(options, key) ? options[key] : undefined),
  });

const named = (name: string): Integration => {
  const integration = findIntegration(name);
  if (!integration) throw new Error(`there is no ${name}`);
  return integration;
};

for (const { integration, fixture } of everyFixture)
  test(`${fixture.name} is told of`, () => {
    const { eventTypes } = named(integration);

    const { event, reports } = format(named(integration), fixture);

    expect(reports).toEqual(fixture.reports);
    expect([undefined, ...(eventTypes ?? [])]).toContain(event);
  });

test("every integration, and every kind of event GitHub sends, is tried here", () => {
  const tried = new Set(fixtures["github"]?.map((fixture) => format(github, fixture).event));

  expect(github.eventTypes?.filter((event) => !tried.has(event))).toEqual([]);
  expect(Object.keys(fixtures)).toEqual(integrations.map(({ name }) => name));
});

test("an event nobody knows, a payload of another service and a missing header are told apart", () => {
  const headers = { "x-github-event": "moon_landing", "x-gitlab-event": "Moon Hook" };

  expect(() => format(github, { headers, payload: {} })).toThrow(UnknownEvent);
  expect(() => format(gitlab, { headers, payload: {} })).toThrow(UnknownEvent);
  expect(() => format(github, { headers: { "x-github-event": "push" }, payload: { ref: 3 } })).toThrow(UnknownShape);
  expect(() => format(github, { headers: {}, payload: {} })).toThrow(MissingHeader);
  expect(() => format(gitlab, { headers: {}, payload: {} })).toThrow(MissingHeader);
  expect(() => format(sentry, { headers: {}, payload: [] })).toThrow(UnknownShape);
});

test("registration tells of each integration in the protocol's form", () => {
  expect(describedIntegrations.find(({ name }) => name === "github")).toEqual({
    name: "github",
    display_name: "GitHub",
    all_event_types: expect.arrayContaining(["push_commits", "opened_or_update_pull_request", "ping"]),
    config_options: [
      { key: "branches", label: expect.any(String), validator: "check_string" },
      { key: "ignore_private_repositories", label: expect.any(String), validator: "check_bool" },
    ],
  });
  expect(describedIntegrations.find(({ name }) => name === "json")?.all_event_types).toBeNull();
});
