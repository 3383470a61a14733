/** The supported services. */
import { alertmanager } from "./alertmanager.ts";
import { github } from "./github/github.ts";
import { gitlab } from "./gitlab/gitlab.ts";
import { grafana } from "./grafana.ts";
import type { Integration } from "./integration.ts";
import { json } from "./json.ts";
import { sentry } from "./sentry.ts";
import { slackIncoming } from "./slack-incoming/slack-incoming.ts";

export const integrations: readonly Integration[] = [
  alertmanager,
  github,
  gitlab,
  grafana,
  json,
  sentry,
  slackIncoming,
];

const byName = new Map(integrations.map((integration) => [integration.name, integration]));
export const findIntegration = (name: string): Integration | undefined => byName.get(name);

/** In the format of the register response. */
export const describedIntegrations = integrations.map(({ name, displayName, eventTypes, options }) => {
  const described = options.map(({ key, label, isSwitch }) => ({
    key,
    label,
    validator: isSwitch ? "check_bool" : "check_string",
  }));
  return {
    name,
    display_name: displayName,
    all_event_types: eventTypes === null ? null : [...eventTypes],
    url_options: described,
    config_options: described,
  };
});
