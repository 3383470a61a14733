import { jsonFixtures, slackFixtures } from "./chat.ts";
import type { Fixture } from "./fixture.ts";
import { githubFixtures } from "./github.ts";
import { gitlabFixtures } from "./gitlab.ts";
import { alertmanagerFixtures, grafanaFixtures, sentryFixtures } from "./monitoring.ts";

/** By integration name. */
export const fixtures: Record<string, Fixture[]> = {
  alertmanager: alertmanagerFixtures,
  github: githubFixtures,
  gitlab: gitlabFixtures,
  grafana: grafanaFixtures,
  json: jsonFixtures,
  sentry: sentryFixtures,
  slack_incoming: slackFixtures,
};

export const everyFixture = Object.entries(fixtures).flatMap(([integration, its]) =>
  its.map((fixture) => ({ integration, fixture })),
);
