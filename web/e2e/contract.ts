/**
 * Nothing private: all requests of the client's scripts are part of the contract, with a declared path and declared
 * parameters, and the responses match the protocol's document.
 */
import type { BrowserContext, Request, Response } from "playwright-core";
import { documentedEndpoints } from "@skein/api/all.ts";
import { pathNames, type Endpoint } from "@skein/api/endpoint.ts";
import { holdAgainstReference } from "../../server/test/realm.ts";

const complaints: Error[] = [];
const used = new Set<string>();

/** The operations requested so far. */
export const usedOperations = (): ReadonlySet<string> => used;

export const takeComplaints = (): Error[] => complaints.splice(0);

export function holdToContract(context: BrowserContext): void {
  context.on("request", (request) => {
    if (!isAskedByScript(request)) return;
    const complaint = complaintAbout(asked(request));
    if (complaint !== undefined) complaints.push(new Error(complaint));
  });
  context.on("response", (response) => void judge(response));
}

/** Pages, images and the client's own files are what any browser requests. */
const isAskedByScript = (request: Request): boolean => ["fetch", "xhr"].includes(request.resourceType());

export interface Asked {
  method: string;
  url: URL;
  /** The form as sent; undefined for none, or for one with files. */
  body: string | undefined;
}

const asked = (request: Request): Asked => ({
  method: request.method(),
  url: new URL(request.url()),
  body: request.headers()["content-type"]?.startsWith("application/x-www-form-urlencoded")
    ? (request.postData() ?? undefined)
    : undefined,
});

/** Requests that belong to browsers and not to the API: the session, the page itself, and URLs from the state. */
const ofBrowsers = [
  // Resumable uploads have a protocol of their own, which bots use as well.
  /^(HEAD|PATCH) \/api\/v1\/tus\/[\w-]+$/,
  /^POST \/accounts\/(login|logout)\/$/,
  /^(GET|POST) \/accounts\/login\/passkey\/$/,
  /^GET \/$/,
  /^GET \/static\//,
];

const declared = documentedEndpoints.map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^/(?:json|api/v1)${endpoint.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
}));

const find = (method: string, path: string): Endpoint | undefined =>
  // If two match, the one with fewer parameters in its path is meant.
  declared
    .filter(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))
    .map(({ endpoint }) => endpoint)
    .toSorted((a, b) => pathNames(a.path).length - pathNames(b.path).length)[0];

/** Why a bot could not make this request; undefined if it could. */
export function complaintAbout({ method, url, body }: Asked): string | undefined {
  const line = `${method} ${url.pathname}`;
  if (ofBrowsers.some((known) => known.test(line))) return undefined;
  const endpoint = find(method, url.pathname);
  if (!endpoint) return `${line} is not in the contract`;
  used.add(endpoint.operation);
  const names = [...url.searchParams.keys(), ...new URLSearchParams(body).keys()];
  const unknown = names.filter((name) => !(name in endpoint.params));
  return unknown.length === 0 ? undefined : `${line} has no parameter ${unknown.join(", ")}`;
}

/** A stream has no end to wait for; its events are those of GET /events, which other windows' responses are checked for. */
const isStream = (response: Response): boolean =>
  response.headers()["content-type"]?.startsWith("text/event-stream") === true;

async function judge(response: Response): Promise<void> {
  const url = new URL(response.url());
  if (!url.pathname.startsWith("/json/") || !response.ok() || isStream(response)) return;
  const body = await response.body().catch(() => undefined); // the window was closed in the meantime
  if (!body) return;
  const headers = { "content-type": "application/json" };
  const answer = new globalThis.Response(new Uint8Array(body), { headers });
  await holdAgainstReference(url, response.request().method(), answer).catch(
    (error: unknown) => complaints.push(error as Error), // it throws nothing else
  );
}
