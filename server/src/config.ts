/**
 * Every setting of a server process: its environment variable, its default, one sentence. `skein config` prints this
 * table; nothing else reads the environment.
 */
import { hostname } from "node:os";
import { readHostSecrets } from "./platform/host-secrets.ts";
import { readIssuer } from "./platform/issuer.ts";
import { readMailTarget, readSender } from "./platform/mail-settings.ts";
import { readAllowedHosts } from "./platform/outbound-addresses.ts";
import { readVapidKey } from "./platform/vapid.ts";

export const roles = ["api", "relay", "worker"] as const;
export type Role = (typeof roles)[number];

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
      throw new Error(`must be a whole number from ${from} to ${to}, not "${value}"`);
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
  if (chosen.length === 0) throw new Error(`must name at least one of ${roles.join(", ")}`);
  return chosen;
}

const setting = <T>(declared: Setting<T>) => declared;

export const settings = {
  databaseUrl: setting({
    variable: "SKEIN_DATABASE_URL",
    meaning: "PostgreSQL 15 or newer with wal_level=logical; the account must own its database and may replicate.",
    default: "postgres://skein@127.0.0.1:5432/skein",
    secret: true,
    read: text,
  }),
  databaseConnections: setting({
    variable: "SKEIN_DATABASE_CONNECTIONS",
    meaning:
      "How many connections to PostgreSQL this process keeps at most; half as many more serve pages of messages.",
    default: "10",
    read: integer(2, 1000),
  }),
  natsUrl: setting({
    variable: "SKEIN_NATS_URL",
    meaning: "NATS 2.12.3 or newer with JetStream; several servers separated by commas.",
    default: "nats://127.0.0.1:4222",
    secret: true,
    read: text,
  }),
  logName: setting({
    variable: "SKEIN_LOG_NAME",
    meaning: "Name of the event log: its stream, its subjects and its replication slot. One per database.",
    default: "skein",
    read: (value: string) => {
      if (!/^[a-z0-9_]{1,40}$/.test(value)) throw new Error("must be 1 to 40 of a-z, 0-9 and _");
      return value;
    },
  }),
  logReplicas: setting({
    variable: "SKEIN_LOG_REPLICAS",
    meaning: "Copies of the event log in a NATS cluster: 1 alone, 3 in a cluster.",
    default: "1",
    read: integer(1, 5),
  }),
  logMaxBytes: setting({
    variable: "SKEIN_LOG_MAX_BYTES",
    meaning: "Size at which the event log drops its oldest part; queues that far behind must register again.",
    default: String(8 * 1024 ** 3),
    read: integer(1024 ** 2, Number.MAX_SAFE_INTEGER),
  }),
  tailBytes: setting({
    variable: "SKEIN_TAIL_BYTES",
    meaning: "How much of the event log's newest part an api node keeps in memory.",
    default: String(64 * 1024 ** 2),
    read: integer(1024 ** 2, 64 * 1024 ** 3),
  }),
  host: setting({
    variable: "SKEIN_HOST",
    meaning: "Address the HTTP server listens on.",
    default: "127.0.0.1",
    read: text,
  }),
  port: setting({
    variable: "SKEIN_PORT",
    meaning: "Port the HTTP server listens on; 0 takes a free one.",
    default: "9991",
    read: integer(0, 65535),
  }),
  externalUrl: setting({
    variable: "SKEIN_EXTERNAL_URL",
    meaning: "The address users see, without a trailing slash; empty: the Host of each request, over http.",
    default: "",
    read: (value: string) => value.replace(/\/+$/, ""),
  }),
  trustProxy: setting({
    variable: "SKEIN_TRUST_PROXY",
    meaning: "Believe X-Forwarded-For, -Host and -Proto; only behind a reverse proxy that sets them.",
    default: "false",
    read: flag,
  }),
  filesDir: setting({
    variable: "SKEIN_FILES_DIR",
    meaning: "Folder for uploads, avatars, emoji and fetched images; with several nodes, one they share.",
    default: "/var/lib/skein/files",
    read: text,
  }),
  s3Bucket: setting({
    variable: "SKEIN_S3_BUCKET",
    meaning: "A bucket of an S3-compatible store for all files, in the place of SKEIN_FILES_DIR; empty: the folder.",
    default: "",
    read: text,
  }),
  s3Endpoint: setting({
    variable: "SKEIN_S3_ENDPOINT",
    meaning: "The address of that store (https://minio.example.com); empty: Amazon's own, of the region.",
    default: "",
    read: text,
  }),
  s3Region: setting({
    variable: "SKEIN_S3_REGION",
    meaning: "The region the bucket is in; stores that have none take any.",
    default: "us-east-1",
    read: text,
  }),
  s3AccessKey: setting({
    variable: "SKEIN_S3_ACCESS_KEY",
    meaning: "Who we are there; empty: what the machine itself is allowed (its role, its profile).",
    default: "",
    read: text,
  }),
  s3SecretKey: setting({
    variable: "SKEIN_S3_SECRET_KEY",
    meaning: "The secret that belongs to SKEIN_S3_ACCESS_KEY.",
    default: "",
    secret: true,
    read: text,
  }),
  maxUploadMebibytes: setting({
    variable: "SKEIN_MAX_UPLOAD_MB",
    meaning: "The largest file people may upload, in MiB.",
    default: "100",
    read: integer(1, 1024 ** 2),
  }),
  fetchedMaxBytes: setting({
    variable: "SKEIN_FETCHED_MAX_BYTES",
    meaning: "How much of SKEIN_FILES_DIR pictures of other servers may take before the oldest are thrown away.",
    default: String(1024 ** 3),
    read: integer(0, Number.MAX_SAFE_INTEGER),
  }),
  roles: setting({
    variable: "SKEIN_ROLES",
    meaning: "What this process does: any of api, relay, worker, separated by commas.",
    default: roles.join(","),
    read: roleList,
  }),
  jobConcurrency: setting({
    variable: "SKEIN_JOB_CONCURRENCY",
    meaning:
      "How many jobs (mail, webhooks, scheduled messages) a worker does at once; each may use a connection to PostgreSQL.",
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
    meaning: "Limit requests per account and address, and failed logins.",
    default: "true",
    read: flag,
  }),
  webPublicChannels: setting({
    variable: "SKEIN_WEB_PUBLIC_CHANNELS",
    meaning:
      "Let organizations that allow it make channels web-public: people without an account can fetch their files.",
    default: "false",
    read: flag,
  }),
  heartbeatSeconds: setting({
    variable: "SKEIN_HEARTBEAT_SECONDS",
    meaning: "How long a waiting read of events stays quiet before it is answered with a heartbeat (up to 10% more).",
    default: "48",
    read: integer(1, 80),
  }),
  queueIdleSeconds: setting({
    variable: "SKEIN_QUEUE_IDLE_SECONDS",
    meaning: "How long an event queue lives without being read, unless its client asked for longer.",
    default: "600",
    read: integer(1, 604_800),
  }),
  secret: setting({
    variable: "SKEIN_SECRET",
    meaning:
      "Seals what is kept to be shown or sent again (keys of bots, tokens of webhooks): 32 characters or more, the same " +
      "for all processes, kept for good. Make one with `openssl rand -hex 32`. While it is empty no bots can be made and links show no previews.",
    default: "",
    secret: true,
    read: (value: string) => {
      if (value !== "" && value.length < 32) throw new Error("must have 32 characters or more");
      return value;
    },
  }),
  outboundAllow: setting({
    variable: "SKEIN_OUTBOUND_ALLOW",
    meaning:
      "Hosts, addresses and networks (10.8.0.0/16) off the public Internet that webhooks, previews and notifications may reach, " +
      "separated by commas.",
    default: "",
    read: (value: string) => readAllowedHosts(list(value)),
  }),
  smtpUrl: setting({
    variable: "SKEIN_SMTP_URL",
    meaning:
      "Where mail goes: smtp://user:password@host:587, smtps://… or, to look at it only, a folder (file:///…). While it " +
      "is empty no mail is sent.",
    default: "",
    secret: true,
    read: readMailTarget,
  }),
  mailFrom: setting({
    variable: "SKEIN_MAIL_FROM",
    meaning: "The sender of all mail; the SMTP server must accept it.",
    default: "Skein <noreply@localhost>",
    read: readSender,
  }),
  openRealmCreation: setting({
    variable: "SKEIN_OPEN_REALM_CREATION",
    meaning:
      "Let anybody who can read the mail of an address make an organization at /new/, which is found below the host of " +
      "SKEIN_EXTERNAL_URL (name.chat.example.com): that has to be set, and so has mail.",
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
      "Lets programs of an organization sign its people in by JSON Web Tokens (`POST /jwt/fetch_api_key`): HOST=SECRET for " +
      "each such organization, separated by commas. Whoever knows the secret, of 32 characters or more, can sign in as anybody there.",
    default: "",
    secret: true,
    read: (value: string) => readHostSecrets(list(value)),
  }),
  openIdIssuer: setting({
    variable: "SKEIN_OIDC_ISSUER",
    meaning:
      "A provider of OpenID Connect (https://id.example.com) that people may sign in with, in all organizations: whoever it " +
      "says has an address is who has the account of that address. Its redirect address is /complete/oidc/ at each organization.",
    default: "",
    read: readIssuer,
  }),
  openIdClientId: setting({
    variable: "SKEIN_OIDC_CLIENT_ID",
    meaning: "Who we are there.",
    default: "",
    read: text,
  }),
  openIdClientSecret: setting({
    variable: "SKEIN_OIDC_CLIENT_SECRET",
    meaning: "The secret that belongs to SKEIN_OIDC_CLIENT_ID; empty where the provider gives none.",
    default: "",
    secret: true,
    read: text,
  }),
  openIdName: setting({
    variable: "SKEIN_OIDC_NAME",
    meaning: "What people know the provider by.",
    default: "single sign-on",
    read: text,
  }),
  vapidKey: setting({
    variable: "SKEIN_VAPID_KEY",
    meaning:
      "The private key browsers know our notifications by: what `skein vapid-keys` printed once, the same for all " +
      "processes, kept for good. While it is empty browsers show no notifications unless a page is open.",
    default: "",
    secret: true,
    read: readVapidKey,
  }),
  pushRelayUrl: setting({
    variable: "SKEIN_PUSH_RELAY_URL",
    meaning:
      "Where notifications for mobile devices are handed on (https://…), by the protocol of docs/notifications.md. While " +
      "it is empty mobile devices get none.",
    default: "",
    read: (value: string) => {
      if (value !== "" && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
        throw new Error("must begin with https:// or http://");
      return value;
    },
  }),
  pushRelaySecret: setting({
    variable: "SKEIN_PUSH_RELAY_SECRET",
    meaning: "What the relay knows us by.",
    default: "",
    secret: true,
    read: text,
  }),
  invitationMinutes: setting({
    variable: "SKEIN_INVITATION_MINUTES",
    meaning: "How long an invitation can be used, unless whoever invites says otherwise.",
    default: "14400",
    read: integer(1, 5_256_000),
  }),
  invitationsPerDay: setting({
    variable: "SKEIN_INVITATIONS_PER_DAY",
    meaning: "How many invitations an organization may mail in a day, and its invitation links another as many.",
    default: "1000",
    read: integer(1, 1_000_000),
  }),
  jitsiServerUrl: setting({
    variable: "SKEIN_JITSI_SERVER_URL",
    meaning: "Where those meet in calls whose organization has chosen no Jitsi server of its own.",
    default: "https://meet.jit.si",
    read: (value: string) => value.replace(/\/+$/, ""),
  }),
  giphyApiKey: setting({
    variable: "SKEIN_GIPHY_API_KEY",
    meaning: "Lets clients offer animated pictures of GIPHY; they are told it. While it is empty they offer none.",
    default: "",
    read: text,
  }),
  development: setting({
    variable: "SKEIN_DEVELOPMENT",
    meaning: "Give anybody the key of any account without a password. For trying things out; `skein dev` sets it.",
    default: "false",
    read: flag,
  }),
  logLevel: setting({
    variable: "SKEIN_LOG_LEVEL",
    meaning: "Least severe log line written: trace, debug, info, warn, error, fatal or silent.",
    default: "info",
    read: oneOf(["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const),
  }),
  checkResponses: setting({
    variable: "SKEIN_CHECK_RESPONSES",
    meaning: "Check every answer and event against its declaration and fail loudly; for development and tests.",
    default: "false",
    read: flag,
  }),
} as const;

/** The host of an organization that has none of its own. */
export const defaultHost = ({ externalUrl }: { externalUrl: string }): string =>
  externalUrl === "" ? "localhost" : new URL(externalUrl).hostname;

export type Config = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]["read"]> };

/** The configuration a set of environment variables describes; throws one error that names every wrong value. */
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

/** Variables of ours that other parts read: where to find an engine's program. */
const ignored = new Set(["SKEIN_NATS_SERVER", "SKEIN_POSTGRES_BIN"]);
