/**
 * Every setting of a server process: its environment variable, its default and a description. `skein config` prints this
 * table; nothing else reads the environment.
 */
import { hostname } from "node:os";
import { readHostSecrets } from "./platform/host-secrets.ts";
import { readIssuer } from "./platform/issuer.ts";
import { readMailTarget, readSender } from "./platform/mail-settings.ts";
import { readAllowedHosts } from "./platform/outbound-addresses.ts";
import { readTrustedProxies } from "./platform/trusted-proxies.ts";
import { readVapidKey } from "./platform/vapid.ts";

export const roles = ["api", "relay", "worker"] as const;
export type Role = (typeof roles)[number];

/** The port for health and metrics of processes without the api role, unless SKEIN_HEALTH_PORT is set. */
export const defaultHealthPort = 9992;

interface Setting<T> {
  variable: string;
  meaning: string;
  default: string;
  /** A value that must not be shown in logs or by `skein config`. */
  secret?: boolean;
  read: (text: string) => T;
}

const text = (value: string) => value;
const list = (value: string) =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

function integer(from: number, to: number) {
  return (value: string) => {
    const number = Number(value);
    if (!Number.isInteger(number) || number < from || number > to)
      throw new Error(`must be an integer from ${from} to ${to}, not "${value}"`);
    return number;
  };
}

function flag(value: string): boolean {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw new Error(`must be true or false, not "${value}"`);
}

function oneOf<T extends string>(values: readonly T[]) {
  return (value: string): T => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(", ")}, not "${value}"`);
    return found;
  };
}

function roleList(value: string): Role[] {
  const chosen = list(value).map(oneOf(roles));
  if (chosen.length === 0) throw new Error(`must contain at least one of ${roles.join(", ")}`);
  return chosen;
}

const setting = <T>(declared: Setting<T>) => declared;

export const settings = {
  databaseUrl: setting({
    variable: "SKEIN_DATABASE_URL",
    meaning:
      "URL of the database: PostgreSQL 15 or newer with wal_level=logical. The role must own the database and have the REPLICATION attribute.",
    default: "postgres://skein@127.0.0.1:5432/skein",
    secret: true,
    read: text,
  }),
  directoryUrl: setting({
    variable: "SKEIN_DIRECTORY_URL",
    meaning:
      "URL of the directory's database, which lists the cells and which organization lives in which. Only if there are several " +
      "cells; set it for routers, workers and commands.",
    default: "",
    secret: true,
    read: text,
  }),
  targetDatabaseUrl: setting({
    variable: "SKEIN_TARGET_DATABASE_URL",
    meaning: "URL of the database of the cell that `skein realm move` moves an organization to. Nothing else uses it.",
    default: "",
    secret: true,
    read: text,
  }),
  directoryCopy: setting({
    variable: "SKEIN_DIRECTORY_COPY",
    meaning: "File in which a router keeps its last copy of the directory, to start with when that is not available.",
    default: "/var/lib/skein/directory.json",
    read: text,
  }),
  databaseConnections: setting({
    variable: "SKEIN_DATABASE_CONNECTIONS",
    meaning:
      "Maximum number of PostgreSQL connections an api process keeps for requests. As many again serve message fetches and " +
      "registrations, half each. The README has the formula for the total over all processes.",
    default: "10",
    read: integer(2, 1000),
  }),
  statementTimeoutSeconds: setting({
    variable: "SKEIN_STATEMENT_TIMEOUT_SECONDS",
    meaning:
      "How long a single SQL statement of a request may run before it is canceled and the request fails with status 503.",
    default: "30",
    read: integer(1, 3600),
  }),
  jobStatementTimeoutSeconds: setting({
    variable: "SKEIN_JOB_STATEMENT_TIMEOUT_SECONDS",
    meaning:
      "How long a single SQL statement of a job (exports, retention) may run before it is canceled and the job is retried.",
    default: "1800",
    read: integer(1, 86_400),
  }),
  lockTimeoutSeconds: setting({
    variable: "SKEIN_LOCK_TIMEOUT_SECONDS",
    meaning: "How long a request waits for a PostgreSQL lock before it fails with status 503.",
    default: "10",
    read: integer(1, 3600),
  }),
  maxWaitingRegistrations: setting({
    variable: "SKEIN_MAX_WAITING_REGISTRATIONS",
    meaning:
      "How many registrations of clients may wait for their turn on an api process. Further ones are refused with status 429 " +
      "and are told when to try again.",
    default: "5000",
    read: integer(0, 100_000),
  }),
  registrationWaitSeconds: setting({
    variable: "SKEIN_REGISTRATION_WAIT_SECONDS",
    meaning: "How long a registration waits for its turn before it is refused in the same way.",
    default: "30",
    read: integer(1, 60),
  }),
  natsUrl: setting({
    variable: "SKEIN_NATS_URL",
    meaning:
      "URL of NATS 2.12.3 or newer with JetStream: nats://user:password@host:4222, or tls://… to insist on TLS. Separate the " +
      "servers of a cluster by commas; they have the same credentials.",
    default: "nats://127.0.0.1:4222",
    secret: true,
    read: text,
  }),
  natsCredentialsFile: setting({
    variable: "SKEIN_NATS_CREDENTIALS_FILE",
    meaning: "File with NATS credentials (.creds), instead of a user and password in the URL.",
    default: "",
    read: (value: string) => (value === "" ? undefined : value),
  }),
  natsCaFile: setting({
    variable: "SKEIN_NATS_CA_FILE",
    meaning:
      "File with the certificate (PEM) of the authority that signed the certificates of NATS, if it is your own.",
    default: "",
    read: (value: string) => (value === "" ? undefined : value),
  }),
  logName: setting({
    variable: "SKEIN_LOG_NAME",
    meaning: "Name of the event log, used for its stream, subjects and replication slot. Use one name per database.",
    default: "skein",
    read: (value: string) => {
      if (!/^[a-z0-9_]{1,40}$/.test(value)) throw new Error("must be 1 to 40 characters from a-z, 0-9 and _");
      return value;
    },
  }),
  logReplicas: setting({
    variable: "SKEIN_LOG_REPLICAS",
    meaning: "Number of replicas of the event log: 1 with a single NATS server, 3 in a cluster.",
    default: "1",
    read: integer(1, 5),
  }),
  logMaxBytes: setting({
    variable: "SKEIN_LOG_MAX_BYTES",
    meaning:
      "Maximum size of the event log. Beyond it the oldest events are dropped; clients that far behind must register again.",
    default: String(8 * 1024 ** 3),
    read: integer(1024 ** 2, Number.MAX_SAFE_INTEGER),
  }),
  tailBytes: setting({
    variable: "SKEIN_TAIL_BYTES",
    meaning: "How many bytes of the most recent events an api node keeps in memory.",
    default: String(64 * 1024 ** 2),
    read: integer(1024 ** 2, 64 * 1024 ** 3),
  }),
  host: setting({
    variable: "SKEIN_HOST",
    meaning: "IP address the HTTP server listens on.",
    default: "127.0.0.1",
    read: text,
  }),
  port: setting({
    variable: "SKEIN_PORT",
    meaning: "Port the HTTP server listens on; 0 picks a free one.",
    default: "9991",
    read: integer(0, 65535),
  }),
  healthPort: setting({
    variable: "SKEIN_HEALTH_PORT",
    meaning:
      "Separate port for /health and /metrics; 0 picks a free one. If set, SKEIN_PORT does not serve metrics. If empty, " +
      `SKEIN_PORT serves both in a process with the api role, and port ${defaultHealthPort} in any other.`,
    default: "",
    read: (value: string) => (value === "" ? undefined : integer(0, 65535)(value)),
  }),
  externalUrl: setting({
    variable: "SKEIN_EXTERNAL_URL",
    meaning:
      "URL under which users reach the server, without a trailing slash. If empty, it is derived from the Host header of each request, with http://.",
    default: "",
    read: (value: string) => value.replace(/\/+$/, ""),
  }),
  trustProxy: setting({
    variable: "SKEIN_TRUST_PROXY",
    meaning:
      "Which reverse proxies to trust for X-Forwarded-For, -Host and -Proto: the number of proxies in front of this process (1), or " +
      "a comma-separated list of their IP addresses and networks (10.0.0.5,10.8.0.0/16); true means 1. Each proxy must set or append to these headers.",
    default: "false",
    read: readTrustedProxies,
  }),
  webDir: setting({
    variable: "SKEIN_WEB_DIR",
    meaning: "Folder with the built web client. If empty, web/dist next to the server.",
    default: "",
    read: text,
  }),
  filesDir: setting({
    variable: "SKEIN_FILES_DIR",
    meaning: "Folder for uploads, avatars, emoji and fetched images. If there are several nodes, they must share it.",
    default: "/var/lib/skein/files",
    read: text,
  }),
  s3Bucket: setting({
    variable: "SKEIN_S3_BUCKET",
    meaning: "S3 bucket for all files, used instead of SKEIN_FILES_DIR. If empty, files are stored in the folder.",
    default: "",
    read: text,
  }),
  s3Endpoint: setting({
    variable: "SKEIN_S3_ENDPOINT",
    meaning:
      "Endpoint of an S3-compatible store (https://minio.example.com). If empty, the AWS endpoint of the region is used.",
    default: "",
    read: text,
  }),
  s3Region: setting({
    variable: "SKEIN_S3_REGION",
    meaning: "Region of the bucket; stores without regions accept any value.",
    default: "us-east-1",
    read: text,
  }),
  s3AccessKey: setting({
    variable: "SKEIN_S3_ACCESS_KEY",
    meaning: "Access key ID for the store. If empty, the machine's own credentials are used (its role or profile).",
    default: "",
    read: text,
  }),
  s3SecretKey: setting({
    variable: "SKEIN_S3_SECRET_KEY",
    meaning: "Secret access key for SKEIN_S3_ACCESS_KEY.",
    default: "",
    secret: true,
    read: text,
  }),
  maxUploadMebibytes: setting({
    variable: "SKEIN_MAX_UPLOAD_MB",
    meaning: "Maximum size of an uploaded file, in MiB.",
    default: "100",
    read: integer(1, 1024 ** 2),
  }),
  uploadQuotaMebibytes: setting({
    variable: "SKEIN_UPLOAD_QUOTA_MB",
    meaning: "Total size of all files of one organization, in MiB; 0 for no limit.",
    default: String(500 * 1024),
    read: integer(0, 1024 ** 3),
  }),
  userUploadQuotaMebibytes: setting({
    variable: "SKEIN_USER_UPLOAD_QUOTA_MB",
    meaning: "Total size of all files of one user, including unfinished uploads, in MiB; 0 for no limit.",
    default: String(10 * 1024),
    read: integer(0, 1024 ** 3),
  }),
  maxImportMebibytes: setting({
    variable: "SKEIN_MAX_IMPORT_MB",
    meaning:
      "Maximum size of another chat's export that an owner uploads to import it, in MiB; 0 to permit imports only by `skein import`. " +
      "Workers need as much room for temporary files.",
    default: String(10 * 1024),
    read: integer(0, 1024 ** 2),
  }),
  fetchedMaxBytes: setting({
    variable: "SKEIN_FETCHED_MAX_BYTES",
    meaning: "Maximum total size of images fetched from other servers, in bytes; the oldest are removed first.",
    default: String(1024 ** 3),
    read: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  maxMovedMessages: setting({
    variable: "SKEIN_MAX_MOVED_MESSAGES",
    meaning:
      "How many messages one request may move to another channel or merge into another topic; both channels are locked meanwhile. " +
      "Renaming a whole topic is not limited.",
    default: "5000",
    read: integer(1, 1_000_000),
  }),
  roles: setting({
    variable: "SKEIN_ROLES",
    meaning: "Roles of this process: any of api, relay and worker, separated by commas.",
    default: roles.join(","),
    read: roleList,
  }),
  jobConcurrency: setting({
    variable: "SKEIN_JOB_CONCURRENCY",
    meaning:
      "How many jobs (mail, webhooks, scheduled messages) a worker runs at once; each may use a PostgreSQL connection.",
    default: "4",
    read: integer(1, 100),
  }),
  nodeName: setting({
    variable: "SKEIN_NODE_NAME",
    meaning: "Name of this process in logs and metrics.",
    default: hostname(),
    read: text,
  }),
  rateLimits: setting({
    variable: "SKEIN_RATE_LIMITS",
    meaning: "Limit requests per account and per IP address, and failed logins.",
    default: "true",
    read: flag,
  }),
  requestsPerMinute: setting({
    variable: "SKEIN_REQUESTS_PER_MINUTE",
    meaning:
      "How many requests an account may make per minute, not counting requests for events. A form of more than 64 KiB counts once for each 64 KiB.",
    default: "200",
    read: integer(1, 100_000),
  }),
  eventReadsPerMinute: setting({
    variable: "SKEIN_EVENT_READS_PER_MINUTE",
    meaning:
      "How many requests for events an account may make per minute, over all its devices; in a busy channel every message completes a waiting request.",
    default: "3000",
    read: integer(1, 1_000_000),
  }),
  addressRequestsPerMinute: setting({
    variable: "SKEIN_ADDRESS_REQUESTS_PER_MINUTE",
    meaning:
      "How many unauthenticated requests an IP address may make per minute; an IPv6 /64 network counts as one address.",
    default: "100",
    read: integer(1, 1_000_000),
  }),
  requestTimeoutSeconds: setting({
    variable: "SKEIN_REQUEST_TIMEOUT_SECONDS",
    meaning: "How long a client may take to send the headers of a request, and then every 16 KiB of its body.",
    default: "30",
    read: integer(1, 3600),
  }),
  gravatar: setting({
    variable: "SKEIN_GRAVATAR",
    meaning:
      "Show Gravatar images for users without an avatar of their own. This reveals to gravatar.com who views them. If false, a generated image is shown.",
    default: "false",
    read: flag,
  }),
  webPublicChannels: setting({
    variable: "SKEIN_WEB_PUBLIC_CHANNELS",
    meaning:
      "Allow web-public channels, whose files can be fetched without an account. Each organization must enable them as well.",
    default: "false",
    read: flag,
  }),
  heartbeatSeconds: setting({
    variable: "SKEIN_HEARTBEAT_SECONDS",
    meaning: "How long a request for events waits before a heartbeat is returned (up to 10% longer).",
    default: "48",
    read: integer(1, 80),
  }),
  queueIdleSeconds: setting({
    variable: "SKEIN_QUEUE_IDLE_SECONDS",
    meaning: "How long an event queue is kept without being read, unless its client asked for longer.",
    default: "600",
    read: integer(1, 604_800),
  }),
  maxQueues: setting({
    variable: "SKEIN_MAX_QUEUES",
    meaning:
      "How many event queues an account may have. Beyond that, a new queue replaces the least recently read one.",
    default: "100",
    read: integer(1, 100_000),
  }),
  drainDelaySeconds: setting({
    variable: "SKEIN_DRAIN_DELAY_SECONDS",
    meaning:
      "How long a process keeps accepting connections after SIGTERM while /health/ready returns 503, so that load balancers " +
      "stop sending requests to it. Ctrl-C skips this delay.",
    default: "5",
    read: integer(0, 600),
  }),
  shutdownSeconds: setting({
    variable: "SKEIN_SHUTDOWN_SECONDS",
    meaning: "How long in-flight requests and jobs may then take to finish; the rest are aborted.",
    default: "30",
    read: integer(0, 3600),
  }),
  secret: setting({
    variable: "SKEIN_SECRET",
    meaning:
      "Encrypts stored secrets such as bot API keys and webhook tokens. At least 32 characters, the same for all processes. " +
      "`skein secret rotate` replaces it. Generate it with `openssl rand -hex 32`. If empty, bots cannot be created and links have no previews.",
    default: "",
    secret: true,
    read: (value: string) => {
      if (value !== "" && value.length < 32) throw new Error("must have at least 32 characters");
      return value;
    },
  }),
  secondSecret: setting({
    variable: "SKEIN_SECOND_SECRET",
    meaning:
      "Also accepted for reading what SKEIN_SECRET encrypted or signed, while that is being replaced: first the next secret, then " +
      "the previous one. See `skein secret rotate --help`.",
    default: "",
    secret: true,
    read: (value: string) => {
      if (value !== "" && value.length < 32) throw new Error("must have at least 32 characters");
      return value;
    },
  }),
  outboundAllow: setting({
    variable: "SKEIN_OUTBOUND_ALLOW",
    meaning:
      "Comma-separated list of host names, IP addresses and networks (10.8.0.0/16) outside the public Internet that webhooks, " +
      "previews and notifications may reach.",
    default: "",
    read: (value: string) => readAllowedHosts(list(value)),
  }),
  smtpUrl: setting({
    variable: "SKEIN_SMTP_URL",
    meaning:
      "Outgoing mail server: smtp://user:password@host:587 or smtps://…; file:///… writes mail to a folder instead. If empty, no " +
      "mail is sent.",
    default: "",
    secret: true,
    read: readMailTarget,
  }),
  mailFrom: setting({
    variable: "SKEIN_MAIL_FROM",
    meaning: "Sender of all mail; the SMTP server must accept it.",
    default: "Skein <noreply@localhost>",
    read: readSender,
  }),
  openRealmCreation: setting({
    variable: "SKEIN_OPEN_REALM_CREATION",
    meaning:
      "Let anyone with a confirmed e-mail address create an organization at /new/, on a subdomain of SKEIN_EXTERNAL_URL " +
      "(name.chat.example.com). Requires SKEIN_EXTERNAL_URL and SKEIN_SMTP_URL.",
    default: "false",
    read: flag,
  }),
  sessionDays: setting({
    variable: "SKEIN_SESSION_DAYS",
    meaning: "How long a browser stays signed in.",
    default: "14",
    read: integer(1, 3650),
  }),
  jwtSecrets: setting({
    variable: "SKEIN_JWT_SECRETS",
    meaning:
      "Lets an organization's own systems sign users in with JSON Web Tokens (`POST /jwt/fetch_api_key`): HOST=SECRET for each " +
      "organization, separated by commas. A secret has at least 32 characters; anyone who has it can sign in as any user there.",
    default: "",
    secret: true,
    read: (value: string) => readHostSecrets(list(value)),
  }),
  openIdIssuer: setting({
    variable: "SKEIN_OIDC_ISSUER",
    meaning:
      "OpenID Connect provider (https://id.example.com) for signing in to all organizations. It is trusted to verify e-mail " +
      "addresses: users sign in to the account with the address it reports. Register the redirect URL /complete/oidc/ of each organization.",
    default: "",
    read: readIssuer,
  }),
  openIdClientId: setting({
    variable: "SKEIN_OIDC_CLIENT_ID",
    meaning: "Client ID registered with the OpenID Connect provider.",
    default: "",
    read: text,
  }),
  openIdClientSecret: setting({
    variable: "SKEIN_OIDC_CLIENT_SECRET",
    meaning: "Client secret for SKEIN_OIDC_CLIENT_ID; empty for a public client.",
    default: "",
    secret: true,
    read: text,
  }),
  openIdName: setting({
    variable: "SKEIN_OIDC_NAME",
    meaning: "Name of the OpenID Connect provider as shown on the login page.",
    default: "single sign-on",
    read: text,
  }),
  vapidKey: setting({
    variable: "SKEIN_VAPID_KEY",
    meaning:
      "Private VAPID key for web push. Generate it once with `skein vapid-keys`; the same for all processes, never changed. If " +
      "empty, browsers show notifications only while Skein is open.",
    default: "",
    secret: true,
    read: readVapidKey,
  }),
  pushRelayUrl: setting({
    variable: "SKEIN_PUSH_RELAY_URL",
    meaning:
      "URL of the relay for mobile push notifications (https://…); docs/notifications.md describes its protocol. If empty, mobile " +
      "devices get no notifications.",
    default: "",
    read: (value: string) => {
      if (value !== "" && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
        throw new Error("must begin with https:// or http://");
      return value;
    },
  }),
  pushRelaySecret: setting({
    variable: "SKEIN_PUSH_RELAY_SECRET",
    meaning: "Secret that authenticates this server to the push relay.",
    default: "",
    secret: true,
    read: text,
  }),
  invitationMinutes: setting({
    variable: "SKEIN_INVITATION_MINUTES",
    meaning: "How long an invitation is valid, unless the inviter chooses otherwise.",
    default: "14400",
    read: integer(1, 5_256_000),
  }),
  invitationsPerDay: setting({
    variable: "SKEIN_INVITATIONS_PER_DAY",
    meaning:
      "How many invitations an organization may send by e-mail per day; sign-up confirmation e-mails have a separate limit of the same size.",
    default: "1000",
    read: integer(1, 1_000_000),
  }),
  jitsiServerUrl: setting({
    variable: "SKEIN_JITSI_SERVER_URL",
    meaning: "Jitsi server for video calls in organizations that have not set their own.",
    default: "https://meet.jit.si",
    read: (value: string) => value.replace(/\/+$/, ""),
  }),
  giphyApiKey: setting({
    variable: "SKEIN_GIPHY_API_KEY",
    meaning: "GIPHY API key, which clients receive to offer a GIF picker. If empty, there is no GIF picker.",
    default: "",
    read: text,
  }),
  development: setting({
    variable: "SKEIN_DEVELOPMENT",
    meaning: "Give anyone the API key of any account without a password. For development only; `skein dev` sets it.",
    default: "false",
    read: flag,
  }),
  logLevel: setting({
    variable: "SKEIN_LOG_LEVEL",
    meaning: "Minimum severity of log lines: trace, debug, info, warn, error, fatal or silent.",
    default: "info",
    read: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const),
  }),
  tracesEndpoint: setting({
    variable: "SKEIN_TRACES_ENDPOINT",
    meaning:
      "URL to which traces are sent by OTLP over HTTP, such as http://localhost:4318/v1/traces; empty for none. " +
      "OTEL_EXPORTER_OTLP_HEADERS can hold credentials of the collector.",
    default: "",
    read: (value: string) => {
      if (value !== "" && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
        throw new Error("must be an http(s) URL");
      return value;
    },
  }),
  tracesRatio: setting({
    variable: "SKEIN_TRACES_RATIO",
    meaning: "The fraction of requests that are traced, from 0 to 1.",
    default: "0.01",
    read: (value: string) => {
      const ratio = Number(value);
      if (!(ratio >= 0 && ratio <= 1)) throw new Error("must be a number from 0 to 1");
      return ratio;
    },
  }),
  checkResponses: setting({
    variable: "SKEIN_CHECK_RESPONSES",
    meaning:
      "Validate every response and event against its declaration and fail on a mismatch; for development and tests.",
    default: "false",
    read: flag,
  }),
} as const;

/** The host name of an organization that has none of its own. */
export const defaultHost = ({ externalUrl }: { externalUrl: string }): string =>
  externalUrl === "" ? "localhost" : new URL(externalUrl).hostname;

export type Config = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]["read"]> };

/** Reads the configuration from environment variables; throws one error that lists every invalid value. */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const known = new Set<string>(Object.values(settings).map((declared) => declared.variable));
  for (const name of Object.keys(environment)) {
    if (name.startsWith("SKEIN_") && !known.has(name) && !ignored.has(name))
      problems.push(`${name} is not a setting; see \`skein config\``);
  }
  const entries = Object.entries(settings).map(([key, declared]) => {
    const given = environment[declared.variable];
    try {
      return [key, declared.read(given === undefined || given === "" ? declared.default : given)];
    } catch (error) {
      problems.push(`${declared.variable} ${(error as Error).message}`); // `read` throws nothing but Error
      return [key, undefined];
    }
  });
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return Object.fromEntries(entries) as Config; // one entry for each key of `settings`, read by its own reader
}

/** SKEIN_ variables that are not settings: they locate the engines' programs. */
const ignored = new Set(["SKEIN_NATS_SERVER", "SKEIN_POSTGRES_BIN"]);
