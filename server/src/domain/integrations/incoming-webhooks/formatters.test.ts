/** The messages for each kind of delivery; formatters are pure functions. */
import { expect, test } from "vitest";
import { UnknownEvent, UnknownShape, MissingHeader } from "./formatter.ts";
import { github } from "./github/github.ts";
import { gitlab } from "./gitlab/gitlab.ts";
import type { Integration } from "./integration.ts";
import { describedIntegrations, findIntegration, integrations } from "./integrations.ts";
import { sentry } from "./sentry.ts";
import type { Fixture } from "../../../../test/incoming-webhooks/fixture.ts";
import { everyFixture, fixtures } from "../../../../test/incoming-webhooks/every-fixture.ts";

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
  test(`${fixture.name} is formatted`, () => {
    const { eventTypes } = named(integration);

    const { event, reports } = format(named(integration), fixture);

    expect(reports).toEqual(fixture.reports);
    expect([undefined, ...(eventTypes ?? [])]).toContain(event);
  });

test("there are fixtures for every integration and every kind of GitHub event", () => {
  const tried = new Set(fixtures["github"]?.map((fixture) => format(github, fixture).event));

  expect(github.eventTypes?.filter((event) => !tried.has(event))).toEqual([]);
  expect(Object.keys(fixtures)).toEqual(integrations.map(({ name }) => name));
});

test("an unknown event, another service's payload and a missing header cause different errors", () => {
  const headers = { "x-github-event": "moon_landing", "x-gitlab-event": "Moon Hook" };

  expect(() => format(github, { headers, payload: {} })).toThrow(UnknownEvent);
  expect(() => format(gitlab, { headers, payload: {} })).toThrow(UnknownEvent);
  expect(() => format(github, { headers: { "x-github-event": "push" }, payload: { ref: 3 } })).toThrow(UnknownShape);
  expect(() => format(github, { headers: {}, payload: {} })).toThrow(MissingHeader);
  expect(() => format(gitlab, { headers: {}, payload: {} })).toThrow(MissingHeader);
  expect(() => format(sentry, { headers: {}, payload: [] })).toThrow(UnknownShape);
});

test("registration describes each integration in the protocol's format", () => {
  const options = [
    { key: "branches", label: expect.any(String), validator: "check_string" },
    { key: "ignore_private_repositories", label: expect.any(String), validator: "check_bool" },
  ];
  expect(describedIntegrations.find(({ name }) => name === "github")).toEqual({
    name: "github",
    display_name: "GitHub",
    all_event_types: expect.arrayContaining(["push_commits", "opened_or_update_pull_request", "ping"]),
    url_options: options,
    config_options: options,
  });
  expect(describedIntegrations.find(({ name }) => name === "json")?.all_event_types).toBeNull();
});
