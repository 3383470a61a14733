/** Deliveries of Sentry, Grafana and Alertmanager; organizations and machines are made up. */
import type { Fixture } from "./fixture.ts";

const headers = { "content-type": "application/json" };
const quoted = (text: string) => `\`\`\` quote\n${text}\n\`\`\``;

const sentryActor = { id: 41, name: "Mira Moor", type: "user" };
const installation = { uuid: "a8e5d37a-696c-4c54-adb5-b3f28d64c7de" };
const sentryUrl = "https://harbor.sentry.io/issues/117004";
const title = "TypeError: valve is undefined";

const sentryEvent = {
  _ref: 1,
  _ref_version: 2,
  event_id: "e4874d664c3540c1a32eab185f12c5ab",
  project: 1,
  release: "pumps@1.2.0",
  dist: null,
  platform: "node",
  message: "",
  datetime: "2025-06-02T10:00:00.000000Z",
  tags: [
    ["level", "error"],
    ["server_name", "basin-3"],
  ],
  _metrics: { "bytes.stored.event": 2111 },
  contexts: { runtime: { name: "node", version: "v24.0.0", type: "runtime" } },
  culprit: "closeValve(src/valve)",
  environment: "production",
  errors: [],
  exception: {
    values: [
      {
        type: "TypeError",
        value: "valve is undefined",
        mechanism: { type: "onunhandledrejection", handled: false },
        stacktrace: {
          frames: [
            { filename: "src/main.ts", function: "main", lineno: 4, colno: 3, in_app: true, context_line: "run();" },
            {
              filename: "src/valve.ts",
              function: "closeValve",
              lineno: 14,
              colno: 9,
              in_app: true,
              pre_context: ["function closeValve(valve) {"],
              context_line: "  valve.close();",
              post_context: ["}"],
            },
          ],
        },
      },
    ],
  },
  fingerprint: ["{{ default }}"],
  grouping_config: { id: "newstyle:2023-01-11" },
  hashes: ["29f0d3cd4f3ae0a8b5d5e3d2c7c9d7ae"],
  level: "error",
  location: "src/valve.ts",
  logger: "",
  metadata: { filename: "src/valve.ts", type: "TypeError", value: "valve is undefined" },
  received: 1_748_858_400.1,
  sdk: { name: "sentry.javascript.node", version: "9.1.0" },
  timestamp: 1_748_858_400,
  title,
  type: "error",
  user: { id: "7", ip_address: "192.0.2.7" },
  version: "7",
  url: "https://sentry.io/api/0/projects/harbor/pumps/events/e4874d/",
  web_url: `${sentryUrl}/events/e4874d/`,
  issue_url: "https://sentry.io/api/0/issues/117004/",
  issue_id: "117004",
};

const sentryIssue = {
  id: "117004",
  shareId: null,
  shortId: "PUMPS-1K",
  title,
  culprit: "closeValve(src/valve)",
  permalink: `${sentryUrl}/`,
  logger: null,
  level: "error",
  status: "unresolved",
  statusDetails: {},
  substatus: "new",
  isPublic: false,
  platform: "node",
  project: { id: "1", name: "Pumps", slug: "pumps", platform: "node" },
  type: "error",
  metadata: sentryEvent.metadata,
  numComments: 0,
  assignedTo: { email: "otto@example.com", type: "user", id: "42", name: "Otto Ost" },
  isBookmarked: false,
  isSubscribed: false,
  subscriptionDetails: null,
  hasSeen: false,
  annotations: [],
  isUnhandled: true,
  count: "3",
  userCount: 1,
  firstSeen: "2025-06-02T10:00:00.000000Z",
  lastSeen: "2025-06-02T10:05:00.000000Z",
  web_url: `${sentryUrl}/`,
  url: "https://sentry.io/api/0/organizations/harbor/issues/117004/",
  project_url: "https://harbor.sentry.io/issues/?project=1",
};

const sentry = (
  name: string,
  resource: string | undefined,
  payload: object,
  topic: string,
  content: string,
): Fixture => ({
  name: `sentry ${name}`,
  headers: {
    ...headers,
    ...(resource === undefined ? {} : { "sentry-hook-resource": resource, "sentry-hook-timestamp": "1748858400" }),
  },
  payload,
  reports: [{ topic, content }],
});

const issueLink = `[PUMPS-1K ${title}](${sentryUrl}/)`;
const sentryFacts = (first: string[]) =>
  [
    ...first,
    "* **Level:** `error`",
    "* **Where:** `closeValve(src/valve)`",
    "* **Environment:** `production`",
    "* **Release:** `pumps@1.2.0`",
    "* **Platform:** `node`",
  ].join("\n");
const place = "``` text\nsrc/valve.ts:14 in closeValve\nvalve.close();\n```";

export const sentryFixtures: Fixture[] = [
  sentry(
    "event alert",
    "event_alert",
    {
      action: "triggered",
      actor: { id: "sentry", name: "Sentry", type: "application" },
      data: {
        event: sentryEvent,
        triggered_rule: "Anything in production",
        issue_alert: { title: "Anything in production", settings: [] },
      },
      installation,
    },
    title,
    `:warning: [${title}](${sentryUrl}/events/e4874d/)\n\n${sentryFacts(["* **Alert:** `Anything in production`"])}\n\n${place}`,
  ),
  sentry(
    "new issue",
    "issue",
    {
      action: "created",
      actor: { id: "sentry", name: "Sentry", type: "application" },
      data: { issue: sentryIssue },
      installation,
    },
    title,
    `:warning: New issue ${issueLink}.\n\n* **Level:** \`error\`\n* **Where:** \`closeValve(src/valve)\`\n* **Project:** \`Pumps\`\n` +
      "* **First seen:** `2025-06-02T10:00:00.000000Z`",
  ),
  sentry(
    "resolved issue",
    "issue",
    { action: "resolved", actor: sentryActor, data: { issue: { ...sentryIssue, status: "resolved" } }, installation },
    title,
    `:check: Mira Moor resolved ${issueLink}.`,
  ),
  sentry(
    "assigned issue",
    "issue",
    { action: "assigned", actor: sentryActor, data: { issue: sentryIssue }, installation },
    title,
    `Mira Moor assigned ${issueLink} to Otto Ost.`,
  ),
  sentry(
    "archived issue, without a header",
    undefined,
    { action: "ignored", actor: sentryActor, data: { issue: sentryIssue }, installation },
    title,
    `Mira Moor archived ${issueLink}.`,
  ),
  sentry(
    "error",
    "error",
    {
      action: "created",
      actor: { id: "sentry", name: "Sentry", type: "application" },
      data: { error: sentryEvent },
      installation,
    },
    title,
    `:warning: [${title}](${sentryUrl}/events/e4874d/)\n\n${sentryFacts([])}\n\n${place}`,
  ),
  sentry(
    "comment",
    "comment",
    {
      action: "created",
      data: {
        comment: "Seen on basin 3 as well",
        project_slug: "pumps",
        comment_id: 1234,
        issue_id: 117_004,
        timestamp: "2025-06-02T10:00:00.000000Z",
      },
      installation,
      actor: sentryActor,
    },
    "pumps / issue 117004",
    `Mira Moor commented on issue 117004 of \`pumps\`:\n\n${quoted("Seen on basin 3 as well")}`,
  ),
  sentry(
    "metric alert",
    "metric_alert",
    {
      action: "critical",
      actor: { id: "sentry", name: "Sentry", type: "application" },
      data: {
        description_text: "1000 events in the last 10 minutes\nFilter: level:error",
        description_title: "Critical: Too many errors",
        metric_alert: {
          alert_rule: { id: "1", name: "Too many errors", aggregate: "count()", query: "level:error", time_window: 10 },
          date_started: "2025-06-02T10:00:00Z",
          id: "4",
          identifier: "4",
          organization_id: "1",
          projects: ["pumps"],
          status: 20,
          title: "Too many errors",
          type: 2,
        },
        web_url: "https://harbor.sentry.io/organizations/harbor/alerts/4/",
      },
      installation,
    },
    "Too many errors",
    ":alert: [Critical: Too many errors](https://harbor.sentry.io/organizations/harbor/alerts/4/):\n\n" +
      quoted("1000 events in the last 10 minutes\nFilter: level:error"),
  ),
  sentry(
    "installation",
    "installation",
    {
      action: "created",
      actor: sentryActor,
      data: {
        installation: {
          app: { slug: "chat", uuid: "a" },
          code: "c",
          organization: { slug: "harbor" },
          status: "installed",
        },
      },
      installation,
    },
    "Sentry",
    "Mira Moor set up the Sentry integration.",
  ),
  sentry(
    "plugin for webhooks",
    undefined,
    {
      id: "117004",
      project: "pumps",
      project_name: "Pumps",
      project_slug: "pumps",
      logger: null,
      level: "error",
      culprit: "closeValve(src/valve)",
      message: "valve is undefined",
      url: `${sentryUrl}/?referrer=webhooks_plugin`,
      triggering_rules: ["Anything", "Everything"],
      event: { ...sentryEvent, culprit: undefined, web_url: undefined },
    },
    title,
    `:warning: [${title}](${sentryUrl}/?referrer=webhooks_plugin)\n\n${sentryFacts(["* **Alert:** `Anything, Everything`"])}\n\n${place}`,
  ),
];

const grafanaUrl = "https://grafana.example.com";
const grafanaAlert = (status: string, basin: string) => ({
  status,
  labels: { alertname: "Water level", basin, grafana_folder: "Harbor" },
  annotations: { summary: `Basin ${basin} is too full`, description: "Open the gate.\nThen call Otto." },
  startsAt: "2025-06-02T10:00:00Z",
  endsAt: status === "resolved" ? "2025-06-02T10:10:00Z" : "0001-01-01T00:00:00Z",
  generatorURL: `${grafanaUrl}/alerting/grafana/a1/view?orgId=1`,
  fingerprint: `c6eadffa33fcdf3${basin}`,
  silenceURL: `${grafanaUrl}/alerting/silence/new?alertmanager=grafana`,
  dashboardURL: `${grafanaUrl}/d/pumps?orgId=1`,
  panelURL: `${grafanaUrl}/d/pumps?orgId=1&viewPanel=2`,
  values: { B: 3.2 },
  valueString: "[ var='B' labels={} value=3.2 ]",
});

const grafanaText = (heading: string, basin: string) =>
  `${heading} [Water level](${grafanaUrl}/alerting/grafana/a1/view?orgId=1)\n\n` +
  `Basin ${basin} is too full\n\n${quoted("Open the gate.\nThen call Otto.")}\n\n` +
  `\`basin: ${basin}\` \`grafana_folder: Harbor\`\n\nValues: \`[ var='B' labels={} value=3.2 ]\`\n\n` +
  `[Dashboard](${grafanaUrl}/d/pumps?orgId=1) · [Panel](${grafanaUrl}/d/pumps?orgId=1&viewPanel=2) · ` +
  `[Silence](${grafanaUrl}/alerting/silence/new?alertmanager=grafana)`;

const grafanaGroup = (status: string, alerts: object[]) => ({
  receiver: "chat",
  status,
  alerts,
  groupLabels: { alertname: "Water level" },
  commonLabels: { alertname: "Water level", grafana_folder: "Harbor" },
  commonAnnotations: {},
  externalURL: `${grafanaUrl}/`,
  version: "1",
  groupKey: '{}:{alertname="Water level"}',
  truncatedAlerts: 0,
  orgId: 1,
  title: "[FIRING:2] Water level Harbor",
  state: "alerting",
  message: "**Firing**",
});

export const grafanaFixtures: Fixture[] = [
  {
    name: "grafana alerts",
    headers,
    payload: grafanaGroup("firing", [grafanaAlert("firing", "3"), grafanaAlert("resolved", "4")]),
    reports: [
      {
        topic: "Water level",
        content: `${grafanaText(":alert: **Firing**", "3")}\n\n---\n\n${grafanaText(":squared_ok: **Resolved**", "4")}`,
      },
    ],
  },
  {
    name: "grafana alerts of which some were left out",
    headers,
    payload: { ...grafanaGroup("firing", [grafanaAlert("firing", "3")]), truncatedAlerts: 7 },
    reports: [
      { topic: "Water level", content: grafanaText(":alert: **Firing**", "3") },
      { topic: "Water level", content: "… and 7 more alerts." },
    ],
  },
  {
    name: "grafana alert of the older kind",
    headers,
    payload: {
      dashboardId: 1,
      evalMatches: [
        { value: 3.2, metric: "Basin 3", tags: {} },
        { value: null, metric: "Basin 4", tags: null },
      ],
      imageUrl: `${grafanaUrl}/render/1.png`,
      message: "Open the gate.",
      orgId: 1,
      panelId: 2,
      ruleId: 1,
      ruleName: "Water level",
      ruleUrl: `${grafanaUrl}/d/pumps?fullscreen=true&edit=true&tab=alert&panelId=2`,
      state: "alerting",
      tags: { team: "divers" },
      title: "[Alerting] Water level",
    },
    reports: [
      {
        topic: "Water level",
        content:
          `:alert: **Alerting** [Water level](${grafanaUrl}/d/pumps?fullscreen=true&edit=true&tab=alert&panelId=2)\n\n` +
          `${quoted("Open the gate.")}\n\n* Basin 3: \`3.2\`\n* Basin 4: \n\n[Image](${grafanaUrl}/render/1.png)`,
      },
    ],
  },
];

const prometheus = "http://prometheus.example.com:9090/graph?g0.expr=level&g0.tab=1";
const alert = (status: string, alertname: string, instance: string | undefined) => ({
  status,
  labels: { alertname, job: "basins", severity: "page", ...(instance === undefined ? {} : { instance }) },
  annotations: { summary: `${alertname} at ${instance ?? "no place"}` },
  startsAt: "2025-06-02T10:00:00.000Z",
  endsAt: "0001-01-01T00:00:00Z",
  generatorURL: prometheus,
  fingerprint: "2dc2b3b1f3a0f3a1",
});

const alerts = {
  receiver: "chat",
  status: "firing",
  alerts: [
    alert("firing", "WaterHigh", "basin-3"),
    alert("firing", "PumpDown", "basin-3"),
    alert("resolved", "WaterHigh", "basin-4"),
    alert("firing", "Orphan", undefined),
  ],
  groupLabels: {},
  commonLabels: { job: "basins", severity: "page" },
  commonAnnotations: {},
  externalURL: "http://alertmanager.example.com:9093",
  version: "4",
  groupKey: "{}:{}",
  truncatedAlerts: 0,
};
const source = `([source](${prometheus}))`;

export const alertmanagerFixtures: Fixture[] = [
  {
    name: "alertmanager alerts",
    headers,
    payload: alerts,
    reports: [
      { topic: "basin-3", content: `:alert: **Firing**\n* WaterHigh ${source}\n* PumpDown ${source}` },
      { topic: "basin-4", content: `:squared_ok: **Resolved** WaterHigh ${source}` },
      { topic: "(unknown)", content: `:alert: **Firing** Orphan ${source}` },
    ],
  },
  {
    name: "alertmanager alerts of which one was left out, without a source",
    headers,
    payload: {
      ...alerts,
      alerts: [{ ...alert("firing", "PumpDown", "basin-3"), generatorURL: "" }],
      truncatedAlerts: 1,
    },
    reports: [
      { topic: "basin-3", content: ":alert: **Firing** PumpDown" },
      { topic: "Alertmanager", content: "… and 1 more alert." },
    ],
  },
  {
    name: "alertmanager alerts by fields of one's choice",
    headers,
    payload: { ...alerts, alerts: alerts.alerts.slice(0, 1) },
    options: { name: "severity", desc: "summary" },
    reports: [{ topic: "page", content: `:alert: **Firing** WaterHigh at basin-3 ${source}` }],
  },
];
