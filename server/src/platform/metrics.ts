/**
 * The metrics for operators; docs/operating/monitoring.md lists them. Each app has its own registry, so that several apps can
 * run in one test. Labels hold only values from fixed lists in the code, so the number of series is bounded and no user's
 * input gets into them.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { Tally } from "./tally.ts";

export type Metrics = ReturnType<typeof declareMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const delays = [...seconds, 30, 60];

/** Outcome of a request: the class of its status, or `aborted` if the client disconnected before the response. */
export const statusClasses = ["1xx", "2xx", "3xx", "4xx", "5xx", "aborted"] as const;
export type StatusClass = (typeof statusClasses)[number];

export const classOfStatus = (status: number): StatusClass => statusClasses[Math.floor(status / 100) - 1] ?? "5xx";

export type SignInMethod =
  | "password"
  | "passkey"
  | "second factor"
  | "openid connect"
  | "ldap"
  | "token"
  | "login link"
  | "development";
const signInResults = [
  "success",
  "wrong credentials",
  "too many attempts",
  "deactivated",
  "no account",
  "provider failed",
  "refused",
  "failed",
] as const;
export type SignInResult = (typeof signInResults)[number];

const mailOutcomes = ["sent", "failed", "refused", "unconfigured", "given up"] as const;
const outgoingWebhookOutcomes = ["replied", "accepted", "retried", "failed"] as const;
export type MailOutcome = (typeof mailOutcomes)[number];
export type OutgoingWebhookOutcome = (typeof outgoingWebhookOutcomes)[number];

export function createMetrics(node: string): Metrics {
  const metrics = declareMetrics(node);
  zeroOutcomes(metrics);
  return metrics;
}

/** A counter that appears with its first failure does not increase, as far as an alert can see. */
function zeroOutcomes({ mails, signIns, notifications, outgoingWebhooks, auditDeliveries, ldapSyncs }: Metrics): void {
  for (const outcome of mailOutcomes) mails.inc({ outcome }, 0);
  for (const method of ["password", "passkey", "second factor", "openid connect", "saml", "ldap"])
    for (const result of signInResults) signIns.inc({ method, result }, 0);
  for (const kind of ["mail", "device"]) notifications.inc({ kind, outcome: "given up" }, 0);
  for (const outcome of outgoingWebhookOutcomes) outgoingWebhooks.zero({ outcome });
  for (const outcome of ["delivered", "failed"]) auditDeliveries.inc({ outcome }, 0);
  for (const outcome of ["completed", "failed"]) ldapSyncs.inc({ outcome }, 0);
}

function declareMetrics(node: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ node });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,

    // Requests.
    responses: new Tally({
      name: "skein_http_answers_total",
      help: "HTTP responses by route group and status class: 1xx to 5xx, or aborted when the client disconnected first.",
      labelNames: ["group", "class"],
      registers,
    }),
    requests: new Histogram({
      name: "skein_http_request_seconds",
      help: "Time from the request's head to the end of the response, by route group and status class. Successful reads of events are excluded, because they wait.",
      labelNames: ["group", "class"],
      buckets: seconds,
      registers,
    }),
    operations: new Tally({
      name: "skein_http_operations_total",
      help: "API requests by operation and status class.",
      labelNames: ["operation", "class"],
      registers,
    }),
    registrations: new Histogram({
      name: "skein_registration_seconds",
      help: "Duration of a registration by outcome (done, failed), including the wait for its turn.",
      labelNames: ["outcome"],
      buckets: delays,
      registers,
    }),
    registrationsWaiting: new Gauge({
      name: "skein_registrations_waiting",
      help: "Registrations that wait for their turn on this node.",
      registers,
    }),
    registrationRefusals: new Counter({
      name: "skein_registration_refusals_total",
      help: "Registrations refused with status 429, by reason (full, account, timeout); their clients try again later.",
      labelNames: ["reason"],
      registers,
    }),
    signIns: new Counter({
      name: "skein_sign_ins_total",
      help: "Attempts to sign in, by method and result.",
      labelNames: ["method", "result"],
      registers,
    }),

    // PostgreSQL.
    statements: new Counter({
      name: "skein_database_statements_total",
      help: "Statements sent to PostgreSQL; each is a round trip.",
      registers,
    }),
    transactions: new Histogram({
      name: "skein_transaction_seconds",
      help: "Duration of a transaction, by name.",
      labelNames: ["name"],
      buckets: seconds,
      registers,
    }),
    poolWaits: new Histogram({
      name: "skein_pool_wait_seconds",
      help: "How long statements and transactions waited for a connection, by pool. Those that found an idle connection are not counted.",
      labelNames: ["pool"],
      buckets: seconds,
      registers,
    }),
    poolWaiting: new Gauge({
      name: "skein_pool_waiting",
      help: "Statements and transactions that wait for a connection now, by pool.",
      labelNames: ["pool"],
      registers,
    }),
    poolConnections: new Gauge({
      name: "skein_pool_connections",
      help: "Connections to PostgreSQL, by pool and state (busy, idle).",
      labelNames: ["pool", "state"],
      registers,
    }),
    poolLimit: new Gauge({
      name: "skein_pool_limit",
      help: "Maximum number of connections, by pool.",
      labelNames: ["pool"],
      registers,
    }),
    clockOffset: new Gauge({
      name: "skein_clock_offset_seconds",
      help: "How far this machine's clock is ahead of PostgreSQL's. Delays between machines are off by that much.",
      registers,
    }),

    // Work.
    jobs: new Histogram({
      name: "skein_job_seconds",
      help: "Duration of a job, by name and outcome: done, failed (it is retried), given up.",
      labelNames: ["name", "outcome"],
      buckets: seconds,
      registers,
    }),
    chores: new Histogram({
      name: "skein_chore_seconds",
      help: "Duration of a chore, the short periodic work of a worker, by name and outcome: done, failed (it is retried).",
      labelNames: ["name", "outcome"],
      buckets: seconds,
      registers,
    }),
    jobsWaiting: new Gauge({
      name: "skein_jobs_waiting",
      help: "Jobs that are due and have not started, by name; the whole server's, from relays and workers.",
      labelNames: ["name"],
      registers,
    }),
    jobsOldest: new Gauge({
      name: "skein_jobs_oldest_seconds",
      help: "How long the oldest waiting job has been due, by name; the whole server's, from relays and workers.",
      labelNames: ["name"],
      registers,
    }),
    jobsGivenUp: new Gauge({
      name: "skein_jobs_given_up",
      help: "Jobs that failed for good and are kept for inspection, by name; the whole server's, from relays and workers.",
      labelNames: ["name"],
      registers,
    }),
    mails: new Counter({
      name: "skein_mails_total",
      help: "Mails by outcome: sent, failed (it is retried), refused (by the mail server, for good), unconfigured, given up.",
      labelNames: ["outcome"],
      registers,
    }),
    outgoingWebhooks: new Histogram({
      name: "skein_outgoing_webhook_seconds",
      help: "Duration of a call to an outgoing webhook, by outcome: replied, accepted (without a reply), retried (did not respond), failed.",
      labelNames: ["outcome"],
      buckets: seconds,
      registers,
    }),
    auditDeliveries: new Counter({
      name: "skein_audit_deliveries_total",
      help: "Deliveries of audit logs by outcome: delivered (counts entries), failed (counts attempts).",
      labelNames: ["outcome"],
      registers,
    }),
    ldapSyncs: new Counter({
      name: "skein_ldap_syncs_total",
      help: "Syncs with LDAP directories by outcome: completed, failed (nothing or not everything was changed).",
      labelNames: ["outcome"],
      registers,
    }),
    auditLag: new Gauge({
      name: "skein_audit_delivery_lag_seconds",
      help: "Age of the oldest entry of an audit log that a destination has not received; the whole server's, from relays and workers.",
      registers,
    }),
    incomingWebhooks: new Counter({
      name: "skein_incoming_webhooks_total",
      help: "Deliveries to incoming webhooks, by integration and outcome: accepted, refused, failed.",
      labelNames: ["integration", "outcome"],
      registers,
    }),
    notifications: new Counter({
      name: "skein_notifications_total",
      help:
        "Notifications by kind (mail, mobile, web, or device for those of a device that was removed) and outcome: sent, removed, no longer due, unconfigured, refused, gone " +
        "(the device), given up.",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    sendBatch: new Histogram({
      name: "skein_send_batch_messages",
      help: "Messages committed together.",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers,
    }),

    // Events.
    waitingPolls: new Gauge({
      name: "skein_waiting_polls",
      help: "Requests for events and streams of events that are waiting now.",
      registers,
    }),
    deliveredEvents: new Counter({
      name: "skein_delivered_events_total",
      help: "Events delivered to clients.",
      registers,
    }),
    deliveryDelay: new Histogram({
      name: "skein_delivery_seconds",
      help:
        "Time from the commit of a change to its delivery on this node, by traffic: events (handed to the clients that waited), " +
        "canary (an entry without events that the relay writes every second, so there is a measurement without traffic).",
      labelNames: ["traffic"],
      buckets: delays,
      registers,
    }),
    queues: new Gauge({
      name: "skein_queues",
      help: "Event queues, by the time since their last read (up to 1m, 10m, 1h, 1d, more); the whole server's, from relays and workers.",
      labelNames: ["unread_for"],
      registers,
    }),
    queuesOldest: new Gauge({
      name: "skein_queues_oldest_seconds",
      help: "Time since the last read of the event queue that was not read for the longest time; from relays and workers.",
      registers,
    }),
    undeliverableEvents: new Counter({
      name: "skein_undeliverable_events_total",
      help: "Events that could not be shaped for a queue, by type. The queue expires and its client registers again.",
      labelNames: ["type"],
      registers,
    }),
    logPosition: new Gauge({
      name: "skein_log_position",
      help: "Sequence number of the newest event log entry this node has read.",
      registers,
    }),
    logEpoch: new Gauge({
      name: "skein_log_epoch",
      help: "Epoch of the event log that this node reads. When it changes, all clients register again.",
      registers,
    }),
    logRefused: new Counter({
      name: "skein_log_refused_entries_total",
      help: "Entries of the event log that were skipped because they belong to another epoch or generation.",
      registers,
    }),
    tailLag: new Gauge({
      name: "skein_tail_lag_entries",
      help: "Entries of the event log that this node has not read yet.",
      registers,
    }),
    tailSilence: new Gauge({
      name: "skein_tail_silence_seconds",
      help: "Time since this node last received an entry of a relay, which writes one every second.",
      registers,
    }),

    // The relay.
    relayActive: new Gauge({
      name: "skein_relay_active",
      help: "1 while this process publishes events from PostgreSQL to the event log, 0 while it is on standby.",
      registers,
    }),
    relayPublished: new Counter({
      name: "skein_relay_transactions_total",
      help: "Transactions published to the event log.",
      registers,
    }),
    newEpochs: new Counter({
      name: "skein_log_new_epochs_total",
      help: "New epochs of the event log that this relay began, by cause: after each, all clients register again. The log states the reason.",
      labelNames: ["cause"],
      registers,
    }),
    relayDelay: new Histogram({
      name: "skein_relay_delay_seconds",
      help: "Time from the oldest commit in an entry to the moment the event log has stored it.",
      buckets: delays,
      registers,
    }),
    relayLagBytes: new Gauge({
      name: "skein_relay_lag_bytes",
      help: "Write-ahead log not yet confirmed by the relay; from relays and workers.",
      registers,
    }),
    slotRetainedBytes: new Gauge({
      name: "skein_slot_retained_bytes",
      help: "Write-ahead log that PostgreSQL keeps for the relay's replication slot; from relays and workers.",
      registers,
    }),
    slotSafeBytes: new Gauge({
      name: "skein_slot_safe_bytes",
      help: "Write-ahead log that can still be written before PostgreSQL drops the relay's slot (max_slot_wal_keep_size); absent without that limit.",
      registers,
    }),

    // This process.
    health: new Gauge({
      name: "skein_health_ok",
      help: "1 if the check of /health/ready succeeds, 0 if not, by check: postgresql, event_log, relay, worker, process.",
      labelNames: ["check"],
      registers,
    }),
    info: new Gauge({
      name: "skein_info",
      help: "Always 1; the labels name the release, its commit and the roles of this process.",
      labelNames: ["version", "commit", "roles"],
      registers,
    }),

    // Of routers.
    routedRequests: new Counter({
      name: "skein_router_requests_total",
      help: "Requests to a router by outcome: forwarded, unknown host, unavailable, aborted or invalid.",
      labelNames: ["outcome"],
      registers,
    }),
    routedOpen: new Gauge({
      name: "skein_router_open_requests",
      help: "Requests in flight in a router, long polls and WebSockets among them.",
      registers,
    }),
    routedHosts: new Gauge({
      name: "skein_router_hosts",
      help: "Host names that a router knows.",
      registers,
    }),
    directoryOk: new Gauge({
      name: "skein_router_directory_ok",
      help: "1 while a router can read the directory.",
      registers,
    }),
  };
}
