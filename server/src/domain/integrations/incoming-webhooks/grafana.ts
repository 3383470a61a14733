/** Grafana: alerts grouped by name, and alerts of its legacy alerting. */
import { z } from "zod";
import { listed, optionalText, readShape, type Formatted, type Report } from "./formatter.ts";
import type { Integration } from "./integration.ts";
import { blocks, code, line, link, list, plural, quote } from "./markdown.ts";

const texts = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((values) => values ?? {});

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? line(String(value)) : "";

const alert = z.object({
  status: z.string(),
  labels: texts,
  annotations: texts,
  valueString: optionalText,
  generatorURL: optionalText,
  silenceURL: optionalText,
  dashboardURL: optionalText,
  panelURL: optionalText,
  imageURL: optionalText,
});
type Alert = z.output<typeof alert>;

const shownAlerts = 50;
const shownLabels = 10;
const unified = z.object({
  status: z.string(),
  alerts: listed(alert, shownAlerts),
  truncatedAlerts: z.number().nullish(),
  title: optionalText,
});

const legacy = z.object({
  title: optionalText,
  ruleName: z.string(),
  ruleUrl: optionalText,
  state: z.string(),
  message: optionalText,
  imageUrl: optionalText,
  evalMatches: listed(z.object({ metric: optionalText, value: z.unknown() })).nullish(),
});

const headings: Record<string, string> = {
  firing: ":alert: **Firing**",
  resolved: ":squared_ok: **Resolved**",
  alerting: ":alert: **Alerting**",
  ok: ":squared_ok: **OK**",
  no_data: ":question: **No data**",
  pending: ":hourglass: **Pending**",
  paused: "**Paused**",
};
const heading = (state: string): string =>
  (Object.hasOwn(headings, state) ? headings[state] : undefined) ?? `**${line(state)}**`;

function describe(its: Alert): string {
  const name = textOf(its.labels["alertname"]) || "Alert";
  const links = [
    ["Dashboard", its.dashboardURL],
    ["Panel", its.panelURL],
    ["Silence", its.silenceURL],
    ["Image", its.imageURL],
  ] as const;
  const shown = Object.entries(its.labels)
    .filter(([key]) => key !== "alertname" && !key.startsWith("__"))
    .slice(0, shownLabels)
    .map(([key, value]) => code(`${key}: ${textOf(value)}`));
  return blocks(
    `${heading(its.status)} ${link(name, its.generatorURL)}`,
    textOf(its.annotations["summary"]),
    quote(textIn(its.annotations["description"])),
    shown.join(" "),
    its.valueString === "" ? "" : `Values: ${code(its.valueString)}`,
    links
      .filter(([, url]) => url !== "")
      .map(([text, url]) => link(text, url))
      .join(" · "),
  );
}

const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

function today(payload: unknown): Formatted {
  const { status, alerts, truncatedAlerts, title } = readShape(unified, payload);
  const byName = Map.groupBy(alerts.items, ({ labels }) => textOf(labels["alertname"]) || title || "Grafana");
  const reports = [...byName].map(([topic, group]): Report => ({
    topic,
    content: group.map(describe).join("\n\n---\n\n"),
  }));
  const left = alerts.total - alerts.items.length + (truncatedAlerts ?? 0);
  // The title contains the number of alerts, so it would be a different topic each time.
  const topic = reports.at(-1)?.topic ?? "Grafana";
  if (left > 0) reports.push({ topic, content: `… and ${plural(left, "more alert")}.` });
  return { event: status, reports };
}

function before(payload: unknown): Formatted {
  const its = readShape(legacy, payload);
  const matches = (its.evalMatches?.items ?? []).map(({ metric, value }) => `${line(metric)}: ${code(textOf(value))}`);
  const content = blocks(
    `${heading(its.state)} ${link(its.ruleName, its.ruleUrl)}`,
    quote(its.message),
    list(matches, its.evalMatches?.total),
    its.imageUrl === "" ? "" : link("Image", its.imageUrl),
  );
  return { event: its.state, reports: [{ topic: its.ruleName, content }] };
}

const isToday = (payload: unknown): boolean => typeof payload === "object" && payload !== null && "alerts" in payload;

export const grafana: Integration = {
  name: "grafana",
  displayName: "Grafana",
  clientName: "Grafana",
  eventTypes: ["alerting", "firing", "no_data", "ok", "paused", "pending", "resolved"],
  options: [],
  proof: { header: "x-grafana-alerting-signature", kind: "sha256" },
  format: ({ payload }) => (isToday(payload) ? today(payload) : before(payload)),
};
