/**
 * Sentry: deliveries of internal integrations, with a header for the resource, and of the older webhooks plugin, without
 * one.
 */
import { z } from "zod";
import { formatter, listed, numberText, optionalText, readShape, UnknownEvent, type Formatter } from "./formatter.ts";
import type { Integration } from "./integration.ts";
import { blocks, code, codeBlock, line, link, list, withQuote } from "./markdown.ts";

const frame = z.object({
  filename: optionalText,
  lineno: z.number().nullish(),
  function: optionalText,
  context_line: optionalText,
});
/** The last frame is where the error occurred. */
const frames = z
  .array(z.unknown())
  .nullish()
  .transform((all) => all?.at(-1))
  .pipe(frame.nullish());
const exception = z.object({
  values: listed(
    z.object({
      type: optionalText,
      value: optionalText,
      stacktrace: z.object({ frames }).nullish(),
    }),
    5,
  ).nullish(),
});

const event = z.object({
  title: optionalText,
  message: optionalText,
  culprit: optionalText,
  level: optionalText,
  platform: optionalText,
  environment: optionalText,
  release: optionalText,
  web_url: optionalText,
  url: optionalText,
  exception: exception.nullish(),
  metadata: z.object({ title: optionalText, type: optionalText, value: optionalText }).nullish(),
});
type SentryEvent = z.output<typeof event>;

const titleOf = ({ title, metadata, message }: SentryEvent): string =>
  title || metadata?.title || [metadata?.type, metadata?.value].filter(Boolean).join(": ") || message || "(no title)";

const facts = (pairs: [string, string][]): string =>
  list(pairs.filter(([, value]) => value !== "").map(([name, value]) => `**${name}:** ${code(value)}`));

function whereItHappened({ exception: raised }: SentryEvent): string {
  const values = raised?.values?.items ?? [];
  const found = values.at(-1)?.stacktrace?.frames;
  if (!found) return "";
  const place = found.lineno ? `${found.filename}:${found.lineno}` : found.filename;
  const inside = found.function === "" ? "" : ` in ${found.function}`;
  return codeBlock("text", `${place}${inside}\n${found.context_line.trim()}`.trim());
}

const describeEvent = (its: SentryEvent, address: string, rule: string): string =>
  blocks(
    `:warning: ${link(titleOf(its), address)}`,
    facts([
      ["Alert", rule],
      ["Level", its.level],
      ["Where", its.culprit],
      ["Environment", its.environment],
      ["Release", its.release],
      ["Platform", its.platform],
    ]),
    whereItHappened(its),
  );

const eventAlert = formatter(
  z.object({ data: z.object({ event, triggered_rule: optionalText }) }),
  ({ data: { event: its, triggered_rule } }) => ({
    topic: titleOf(its),
    content: describeEvent(its, its.web_url || its.url, triggered_rule),
  }),
);

const errorCreated = formatter(z.object({ data: z.object({ error: event }) }), ({ data: { error: its } }) => ({
  topic: titleOf(its),
  content: describeEvent(its, its.web_url || its.url, ""),
}));

const actor = z.object({ name: optionalText }).nullish();

const issue = z.object({
  action: z.string(),
  actor,
  data: z.object({
    issue: z.object({
      title: z.string(),
      shortId: optionalText,
      culprit: optionalText,
      level: optionalText,
      web_url: optionalText,
      permalink: optionalText,
      count: numberText.nullish(),
      firstSeen: optionalText,
      project: z.object({ name: optionalText, slug: optionalText }).nullish(),
      assignedTo: z.object({ name: optionalText, email: optionalText }).nullish(),
    }),
  }),
});

const issueChanged = formatter(issue, ({ action, actor: by, data: { issue: its } }) => {
  const shown = link(its.shortId === "" ? its.title : `${its.shortId} ${its.title}`, its.web_url || its.permalink);
  const who = line(by?.name || "Somebody");
  const assignee = line(its.assignedTo?.name || its.assignedTo?.email || "somebody");
  const sentences: Record<string, string> = {
    created: `:warning: New issue ${shown}`,
    resolved: `:check: ${who} resolved ${shown}`,
    unresolved: `:warning: ${shown} is unresolved again`,
    assigned: `${who} assigned ${shown} to ${assignee}`,
    ignored: `${who} archived ${shown}`,
    archived: `${who} archived ${shown}`,
  };
  const sentence = Object.hasOwn(sentences, action) ? sentences[action] : undefined;
  if (sentence === undefined) throw new UnknownEvent(`issue:${action}`);
  const details =
    action === "created"
      ? facts([
          ["Level", its.level],
          ["Where", its.culprit],
          ["Project", its.project?.name || its.project?.slug || ""],
          ["First seen", its.firstSeen],
        ])
      : "";
  return { topic: its.title, content: blocks(`${sentence}.`, details) };
});

const comment = z.object({
  action: z.string(),
  actor,
  data: z.object({ comment: optionalText, project_slug: optionalText, issue_id: numberText }),
});

const commented = formatter(comment, ({ action, actor: by, data }) => {
  const verbs: Record<string, string> = { updated: "edited a comment", deleted: "deleted a comment" };
  const verb = (Object.hasOwn(verbs, action) ? verbs[action] : undefined) ?? "commented";
  const sentence = `${line(by?.name || "Somebody")} ${verb} on issue ${line(data.issue_id)} of ${code(data.project_slug)}`;
  return {
    topic: `${data.project_slug} / issue ${data.issue_id}`,
    content: action === "deleted" ? `${sentence}.` : withQuote(sentence, data.comment),
  };
});

const metricAlert = formatter(
  z.object({
    action: z.string(),
    data: z.object({
      description_title: z.string(),
      description_text: optionalText,
      web_url: optionalText,
      metric_alert: z.object({ title: optionalText, alert_rule: z.object({ name: optionalText }).nullish() }).nullish(),
    }),
  }),
  ({ action, data }) => {
    const sign = action === "resolved" ? ":check:" : ":alert:";
    const { description_title, description_text, web_url, metric_alert } = data;
    return {
      topic: metric_alert?.alert_rule?.name || metric_alert?.title || description_title,
      content: withQuote(`${sign} ${link(description_title, web_url)}`, description_text),
    };
  },
);

const installation = formatter(
  z.object({ action: z.string(), actor, data: z.object({ installation: z.unknown() }) }),
  ({ action, actor: by }) => ({
    topic: "Sentry",
    content: `${line(by?.name || "Somebody")} ${action === "deleted" ? "removed" : "set up"} the Sentry integration.`,
  }),
);

/** The payload of the webhooks plugin. */
const older = formatter(
  z.object({
    project_name: optionalText,
    project: optionalText,
    culprit: optionalText,
    level: optionalText,
    message: optionalText,
    url: z.string(),
    triggering_rules: listed(z.unknown()).nullish(),
    event,
  }),
  (payload) => {
    const its = {
      ...payload.event,
      culprit: payload.event.culprit || payload.culprit,
      level: payload.event.level || payload.level,
      message: payload.event.message || payload.message,
    };
    const rules = (payload.triggering_rules?.items ?? []).filter((rule) => typeof rule === "string");
    return { topic: titleOf(its), content: describeEvent(its, payload.url, rules.join(", ")) };
  },
);

const formatters = new Map<string, Formatter>([
  ["event_alert", eventAlert],
  ["issue", issueChanged],
  ["error", errorCreated],
  ["comment", commented],
  ["metric_alert", metricAlert],
  ["installation", installation],
]);

/** From the header, or else from the payload; undefined for the webhooks plugin. */
function resourceOf(named: string | undefined, payload: unknown): string | undefined {
  if (named !== undefined) return named;
  const { data } = readShape(z.object({ data: z.record(z.string(), z.unknown()).nullish() }), payload);
  if (!data) return undefined;
  if ("event" in data) return "event_alert";
  return [...formatters.keys()].find((resource) => resource in data);
}

export const sentry: Integration = {
  name: "sentry",
  displayName: "Sentry",
  clientName: "Sentry",
  eventTypes: [...formatters.keys()].toSorted(),
  options: [],
  deliveryHeader: "request-id",
  proof: { header: "sentry-hook-signature", kind: "sha256" },
  format({ payload, header }) {
    const resource = resourceOf(header("sentry-hook-resource"), payload);
    const format = resource === undefined ? older : formatters.get(resource);
    if (!format) throw new UnknownEvent(resource ?? "");
    const report = format(payload, resource);
    return { event: resource, reports: report ? [report] : [] };
  },
};
