/** What an operator can watch and alert on. One registry a process, so that several apps can run in one test. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(node: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ node });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: "skein_http_request_seconds",
      help: "Time to answer a request, waiting reads of events excluded, by operation and status.",
      labelNames: ["operation", "status"],
      buckets: seconds,
      registers,
    }),
    statements: new Counter({
      name: "skein_database_statements_total",
      help: "Statements sent to PostgreSQL; each is a round trip.",
      registers,
    }),
    transactions: new Histogram({
      name: "skein_transaction_seconds",
      help: "Time of a transaction by name.",
      labelNames: ["name"],
      buckets: seconds,
      registers,
    }),
    jobs: new Histogram({
      name: "skein_job_seconds",
      help: "Time of a job by name and outcome: done, failed (it is tried again), given up (alert on these).",
      labelNames: ["name", "outcome"],
      buckets: seconds,
      registers,
    }),
    notifications: new Counter({
      name: "skein_notifications_total",
      help:
        "Notifications by kind (mail, mobile, web) and outcome: sent, removed, no longer due, unconfigured, refused, gone " +
        "(the device), given up (alert on these).",
      labelNames: ["kind", "outcome"],
      registers,
    }),
    waitingPolls: new Gauge({
      name: "skein_waiting_polls",
      help: "Reads of event queues that wait for an event now.",
      registers,
    }),
    deliveredEvents: new Counter({
      name: "skein_delivered_events_total",
      help: "Events handed to clients.",
      registers,
    }),
    sendBatch: new Histogram({
      name: "skein_send_batch_messages",
      help: "Messages committed together.",
      buckets: [1, 2, 4, 8, 16, 32, 64, 128],
      registers,
    }),
    logPosition: new Gauge({
      name: "skein_log_position",
      help: "Sequence of the newest part of the event log this node has read.",
      registers,
    }),
    relayActive: new Gauge({
      name: "skein_relay_active",
      help: "1 while this process carries events from PostgreSQL into the log, 0 while it stands by.",
      registers,
    }),
    relayPublished: new Counter({
      name: "skein_relay_transactions_total",
      help: "Transactions carried into the event log.",
      registers,
    }),
    relayLagBytes: new Gauge({
      name: "skein_relay_lag_bytes",
      help: "Write-ahead log not yet confirmed by the relay. Alert when it keeps growing.",
      registers,
    }),
  };
}
