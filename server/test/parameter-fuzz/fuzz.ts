/**
 * Sends hostile requests and checks the responses. Findings are: status 500 or above, a body that is not the protocol's JSON,
 * no response, a response far slower than a harmless request, an error in the log, a crash.
 */
import { Agent, request as httpRequest } from "node:http";
import { endpoints } from "@skein/api/all.ts";
import type { Db } from "../../src/platform/db/connect.ts";
import { Random } from "../sum/random.ts";
import { describeOperation, drawRequest, type DrawnRequest } from "./draw.ts";
import { actorNames, makeOrganization, type ActorName, type Organization } from "./organization.ts";

export interface Target {
  url: string;
  db: Db;
  /** Its log so far, one JSON object per line. */
  log: () => string;
  /** How it exited, if it has. */
  ending: () => string | undefined;
}

export interface Finding {
  what: string;
  /** The request that causes it; for a log line, the requests sent shortly before. */
  request: string;
}

export interface FuzzOptions {
  /** The number of hostile parameters to send. */
  parameters: number;
  seed: number;
  onRound?: (progress: FuzzReport) => void;
}

export interface FuzzReport {
  parameters: number;
  requests: number;
  accepted: number;
  refused: number;
  /** Requests with a rejected key, because the account was deactivated or got a new key. */
  unauthorized: number;
  operations: Set<string>;
  acceptedOperations: Set<string>;
  slowestMilliseconds: number;
  findings: Finding[];
}

/** Destructive operations (organization, account, key) run last in a round; the next round uses new accounts. */
const ending = new Set([
  "deactivate-realm",
  "deactivate-own-user",
  "deactivate-user",
  "update-user",
  "update-user-by-email",
  "regenerate-own-api-key",
  "regenerate-api-key",
  "update-settings",
  "update-realm",
]);
const requestsPerRound = 2000;
const atOnce = 6;
const patienceMilliseconds = 60_000;

interface Sent extends DrawnRequest {
  actor: ActorName;
  number: number;
}

interface Answer {
  status: number;
  type: string;
  text: string;
  requestId: string | undefined;
  milliseconds: number;
}

export async function fuzz(target: Target, { parameters, seed, onRound }: FuzzOptions): Promise<FuzzReport> {
  const random = new Random(seed);
  const operations = endpoints.filter(({ params }) => Object.keys(params).length > 0).map(describeOperation);
  // An operation's weight is its number of parameters, up to a few, so that each parameter is tried.
  const weighted = operations.flatMap((operation) =>
    Array.from({ length: Math.min(operation.parameters.length, 12) }, () => operation),
  );
  const report: FuzzReport = {
    parameters: 0,
    requests: 0,
    accepted: 0,
    refused: 0,
    unauthorized: 0,
    operations: new Set(),
    acceptedOperations: new Set(),
    slowestMilliseconds: 0,
    findings: [],
  };
  while (report.parameters < parameters && target.ending() === undefined) {
    const organization = await makeOrganization(target.db, target.url);
    const round: Sent[] = [];
    let drawn = 0;
    while (round.length < requestsPerRound && report.parameters + drawn < parameters) {
      const operation = random.oneOf(weighted);
      if (!operation) throw new Error("the contract has operations");
      const request = drawRequest(random, operation, organization.known);
      round.push({ ...request, actor: random.oneOf(actorNames), number: report.requests + round.length });
      drawn += request.hostile;
    }
    await new Round(target, organization, report).run(round);
    onRound?.(report);
  }
  return report;
}

class Round {
  readonly #target: Target;
  readonly #organization: Organization;
  readonly #report: FuzzReport;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  readonly #failedRequests = new Set<string>();
  #suspects: Sent[] = [];

  constructor(target: Target, organization: Organization, report: FuzzReport) {
    this.#target = target;
    this.#organization = organization;
    this.#report = report;
  }

  async run(requests: Sent[]): Promise<void> {
    const logged = this.#target.log().length;
    const quiet = await this.#quietMilliseconds();
    const isLast = ({ operation }: Sent) => ending.has(operation);
    for (const part of [requests.filter((each) => !isLast(each)), requests.filter(isLast)]) {
      await this.#sendAll(part, suspicion(quiet));
      // Repeat the suspects now: their senders may not exist after the next part.
      for (const suspect of this.#suspects.splice(0)) await this.#measureAlone(suspect);
    }
    this.#agent.destroy();
    this.#readLog(logged, requests);
    const how = this.#target.ending();
    if (how !== undefined) this.#find(`the server ended (${how})`, requests.slice(-atOnce));
  }

  async #sendAll(requests: Sent[], suspicious: number): Promise<void> {
    const waiting = [...requests];
    const worker = async () => {
      for (let next = waiting.shift(); next && this.#target.ending() === undefined; next = waiting.shift()) {
        const answer = await this.#send(next).catch((error: unknown) => String(error));
        this.#judge(next, answer);
        if (typeof answer === "object" && answer.milliseconds > suspicious) this.#suspects.push(next);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }

  #judge(sent: Sent, answer: Answer | string): void {
    const report = this.#report;
    report.requests++;
    report.parameters += sent.hostile;
    report.operations.add(sent.operation);
    if (typeof answer === "string") {
      this.#find(`no answer: ${answer}`, [sent]);
      return;
    }
    const { status, text, requestId } = answer;
    if (status < 400) {
      report.accepted++;
      report.acceptedOperations.add(sent.operation);
    } else report.refused++;
    if (status === 401 && sent.actor !== "nobody") report.unauthorized++;
    if (requestId !== undefined) this.#failedRequests.add(requestId);
    if (status >= 500) this.#find(`${status}: ${text.slice(0, 200)}`, [sent]);
    else if (!isProtocol(answer)) this.#find(`not the protocol's JSON: ${status} ${text.slice(0, 200)}`, [sent]);
  }

  /** Repeats slow requests alone and takes the best time, because the machine may have been busy. */
  async #measureAlone(suspect: Sent): Promise<void> {
    let best = Infinity;
    let most = 0;
    for (let attempt = 0; attempt < 3; attempt++) {
      most = Math.max(most, slowerThan(await this.#quietMilliseconds()));
      const answer = await this.#send(suspect).catch(() => undefined);
      best = Math.min(best, answer?.milliseconds ?? Infinity);
    }
    this.#report.slowestMilliseconds = Math.max(this.#report.slowestMilliseconds, best);
    if (best > most) this.#find(`took ${best.toFixed(0)} ms, may take ${most.toFixed(0)} ms`, [suspect]);
  }

  /** The median time of several cheap requests. */
  async #quietMilliseconds(): Promise<number> {
    const times: number[] = [];
    const asked = { method: "GET", path: "/server_settings", type: undefined, body: undefined };
    for (let n = 0; n < 9; n++) times.push((await this.#send({ ...asked, actor: "nobody" })).milliseconds);
    return times.toSorted((one, other) => one - other)[4] ?? 0;
  }

  #readLog(from: number, requests: Sent[]): void {
    for (const line of this.#target.log().slice(from).split("\n")) {
      if (line === "") continue;
      const entry = readLine(line);
      if (entry === undefined) this.#find(`printed beside the log: ${line}`, requests.slice(-1));
      else if (isError(entry) && !this.#failedRequests.has(String(entry["request_id"])))
        this.#find(`logged: ${line.slice(0, 2000)}`, requests.slice(-1));
    }
  }

  #find(what: string, sent: Sent[]): void {
    this.#report.findings.push({ what, request: sent.map((each) => this.#show(each)).join("\n") });
  }

  #show({ number, actor, method, path, type, body }: Sent): string {
    const short = (text: string) =>
      text.length > 1200 ? `${text.slice(0, 900)}… (${text.length} characters) …${text.slice(-200)}` : text;
    return `#${number} as ${actor}: ${method} ${short(path)}${body === undefined ? "" : `\n  ${type}\n  ${JSON.stringify(short(body))}`}`;
  }

  #send({
    method,
    path,
    type,
    body,
    actor,
  }: Pick<Sent, "method" | "path" | "type" | "body" | "actor">): Promise<Answer> {
    const { hostname, port } = new URL(this.#target.url);
    const authorization = this.#organization.authorizations[actor];
    const headers = {
      "x-forwarded-host": this.#organization.host,
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { "content-type": type }),
      // Node's client sends the body of a DELETE without a length, which is invalid HTTP.
      ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
    };
    return new Promise((resolve, reject) => {
      const begun = performance.now();
      const sent = httpRequest(
        { agent: this.#agent, hostname, port, method, path: `/api/v1${path}`, headers, timeout: patienceMilliseconds },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              type: response.headers["content-type"] ?? "",
              requestId: response.headers["x-request-id"]?.toString(),
              text: Buffer.concat(chunks).toString("utf8"),
              milliseconds: performance.now() - begun,
            }),
          );
        },
      );
      sent.on("timeout", () => sent.destroy(new Error(`none within ${patienceMilliseconds / 1000} s`)));
      sent.on("error", reject);
      sent.end(body);
    });
  }
}

/** Concurrent requests may have to wait for each other. */
const suspicion = (quiet: number): number => 2 * slowerThan(quiet);
const slowerThan = (quiet: number): number => 25 * quiet + 200;

function isProtocol({ status, type, text }: Answer): boolean {
  if (status === 414 || status === 431) return true; // a URL that the HTTP parser rejects
  if (status >= 300 && status < 400) return true; // a redirect to an image
  if (!type.startsWith("application/json")) return false;
  const answer = readLine(text);
  return typeof answer?.["msg"] === "string" && answer["result"] === (status === 200 ? "success" : "error");
}

function readLine(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined; // not null, so one
  } catch {
    return undefined;
  }
}

const isError = ({ level }: Record<string, unknown>): boolean => level === "error" || level === "fatal";

/** A summary line, and all findings. */
export function writeReport({ findings, ...report }: FuzzReport): string {
  const { parameters, requests, accepted, refused, unauthorized, operations, acceptedOperations } = report;
  const untaken = [...operations].filter((operation) => !acceptedOperations.has(operation));
  return [
    ...findings.map(({ what, request }) => `FOUND ${what}\n${request}\n`),
    `${parameters} hostile parameters in ${requests} requests to ${operations.size} operations: ${accepted} accepted, ` +
      `${refused} refused (${unauthorized} of an account that was closed), ${findings.length} findings`,
    ...(untaken.length > 0 ? [`never accepted: ${untaken.join(", ")}`] : []),
  ].join("\n");
}
