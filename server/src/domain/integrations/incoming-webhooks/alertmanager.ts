/** Alertmanager: groups alerts by the configured label, one topic each, with firing and resolved ones listed separately. */
import { z } from "zod";
import { listed, optionalText, readShape, type Report } from "./formatter.ts";
import type { Integration } from "./integration.ts";
import { blocks, line, link, list, plural } from "./markdown.ts";

const texts = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((values) => new Map(Object.entries(values ?? {})));

const alert = z.object({
  status: z.string(),
  labels: texts,
  annotations: texts,
  generatorURL: optionalText,
});
type Alert = z.output<typeof alert>;

const shownAlerts = 50;
/** `truncatedAlerts` counts alerts that Alertmanager itself omitted. */
const payloadShape = z.object({ alerts: listed(alert, shownAlerts), truncatedAlerts: z.number().nullish() });

/** Annotations are written for people, so they take precedence over labels. */
function field({ annotations, labels }: Alert, name: string): string | undefined {
  const value = annotations.get(name) ?? labels.get(name);
  return typeof value === "string" || typeof value === "number" ? line(String(value)) : undefined;
}

function describeAlerts(alerts: Alert[], heading: string, describe: (alert: Alert) => string): string {
  const [first] = alerts;
  if (!first) return "";
  return alerts.length === 1 ? `${heading} ${describe(first)}` : `${heading}\n${list(alerts.map(describe))}`;
}

export const alertmanager: Integration = {
  name: "alertmanager",
  displayName: "Alertmanager",
  clientName: "AlertManager",
  eventTypes: null,
  options: [
    { key: "name", label: "The label or annotation that becomes the topic (instance)", isSwitch: false },
    { key: "desc", label: "The label or annotation that describes an alert (alertname)", isSwitch: false },
  ],
  format({ payload, option }) {
    const { alerts, truncatedAlerts } = readShape(payloadShape, payload);
    const nameField = option("name") ?? "instance";
    const descriptionField = option("desc") ?? "alertname";
    const describe = (its: Alert) => {
      const words = field(its, descriptionField) ?? `(no ${line(descriptionField)})`;
      return its.generatorURL === "" ? words : `${words} (${link("source", its.generatorURL)})`;
    };
    const topics = Map.groupBy(alerts.items, (its) => field(its, nameField) ?? "(unknown)");
    const reports = [...topics].map(([topic, group]): Report => {
      const over = group.filter(({ status }) => status === "resolved");
      const begun = group.filter(({ status }) => status !== "resolved");
      return {
        topic,
        content: blocks(
          describeAlerts(begun, ":alert: **Firing**", describe),
          describeAlerts(over, ":squared_ok: **Resolved**", describe),
        ),
      };
    });
    const left = alerts.total - alerts.items.length + (truncatedAlerts ?? 0);
    if (left > 0) reports.push({ topic: "Alertmanager", content: `… and ${plural(left, "more alert")}.` });
    return { event: undefined, reports };
  },
};
