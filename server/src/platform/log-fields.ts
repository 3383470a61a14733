/**
 * The fields of log lines. A line is a JSON object with `time`, `level`, `node`, `msg`, and those of these fields that the
 * message needs. docs/operating/monitoring.md has the same list. A field means the same in every line, and none holds a
 * secret or the text of a message.
 */
import { z } from "zod";

const count = z.int().nonnegative();
/** Details for a developer, whose content may change. */
const details = z.looseObject({});

export const logFields = {
  err: z
    .looseObject({ type: z.string(), message: z.string(), stack: z.string() })
    .describe("An error: its type, message, stack, and code if it has one."),
  reason: z.string().describe("Why, in words."),
  hint: z.string().describe("What to do about it."),

  request_id: z.string().describe("The request, as the client received it in `X-Request-Id`."),
  method: z.string().describe("The method of the request."),
  path: z
    .string()
    .describe(
      "The route of the request, with numeric ids only, because other parts of a path may be secret; or where an unknown part of a delivery was found.",
    ),
  requests: count.describe("How many requests the line is about."),

  realm_id: z.int().describe("The organization."),
  name: z.string().describe("The name of the organization."),
  host: z.string().describe("The host name of the organization."),
  cell: z.string().describe("The name of a cell."),
  user_id: z.int().describe("The account."),
  device_id: z.int().describe("The device that is notified."),
  conversation_id: z.int().describe("The channel or direct conversation."),
  kind: z.string().describe("The kind of device: `web` or `mobile`."),

  url: z.string().describe("Where the process serves requests."),
  health: z.string().describe("Where it serves health and metrics, if that is another port."),
  roles: z.array(z.string()).describe("The roles of the process."),
  signal: z.string().describe("The signal that ends the process."),
  migrations: z.array(z.string()).describe("Names of migrations."),
  this_process: count.describe("Connections to PostgreSQL that this process may open."),
  other_processes: count.describe("Those that the other processes may open."),
  available: count.describe("Those that PostgreSQL allows."),

  job: z.string().describe("The name of a job."),
  attempt: count.describe("The number of this attempt, from 1."),
  of: count.describe("How many attempts there are."),
  backfill: z.string().describe("The name of a backfill."),
  source: z.string().describe("The library that the line comes from: `jobs`."),
  workers: count.describe("How many workers."),
  mail_id: z.string().describe("The mail, as in its Message-ID."),
  recipient: z.string().describe("The address that a mail is for."),
  integration: z.string().describe("The kind of incoming webhook."),
  event: z.string().describe("The kind of event that an incoming webhook received."),

  sequence: count.describe("An entry of the event log."),
  head: count.describe("The newest entry that the node has read."),
  epoch: count.describe("The epoch of the event log."),
  generation: z.string().describe("The generation of the event log."),
  is_committed: z.boolean().describe("Whether an entry comes from a transaction."),
  log: details.describe("Identity of the event log (details)."),
  stream: details.describe("State of the NATS stream (details)."),
  database: details.describe("Identity of the database (details)."),
  was: details.describe("What was found before a change (details)."),
  now: details.describe("What it was changed to (details)."),
  type: z.string().describe("The type of an event that cannot be delivered."),
  event_id: count.describe("That event."),
  queue_id: z.string().describe("An event queue."),

  removed: count.describe("How many were removed."),
  messages: count.describe("How many messages."),
  purged: count.describe("How many deleted messages were removed for good."),
  files: count.describe("How many files."),
  uploads: count.describe("How many uploads."),
  reports: count.describe("How many presence reports."),
} as const;

export type LogFields = {
  [K in Exclude<keyof typeof logFields, "err">]?: z.input<(typeof logFields)[K]> | undefined;
} & {
  err?: unknown;
};

export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;

/** A whole line. */
export const logLine = z.strictObject({
  level: z.enum(logLevels),
  time: z.iso.datetime(),
  node: z.string(),
  msg: z.string(),
  ...z.object(logFields).partial().shape,
});
