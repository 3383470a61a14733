/**
 * Measures whether people who leave are locked out: while they send requests to all nodes, the directory deactivates their
 * accounts, and no request that begins after its response may succeed.
 */
import { setTimeout as pause } from "node:timers/promises";

export interface Leaver {
  id: number;
  email: string;
  apiKey: string;
}

export interface LeaverOptions {
  /** URLs of the nodes. */
  nodes: string[];
  /** Of all requests. */
  headers: Record<string, string>;
  leavers: number;
  /** How many leave at the same time. */
  atOnce: number;
  newLeaver: (number: number) => Promise<Leaver>;
  /** Deactivates the account; returns when the response is there. */
  deactivate: (leaver: Leaver, node: string) => Promise<void>;
}

export interface LeaverResult {
  leavers: number;
  requests: number;
  accepted: number;
  /** Requests that began after the response to the deactivation and succeeded. */
  acceptedAfter: number;
  /** From the response to the beginning of the last accepted request, in milliseconds: negative, if it began before. */
  lastAccepted: number[];
  /** From the response to the end of a request for events that waited. */
  pollsEnded: number[];
  /** How long the deactivations took. */
  deactivations: number[];
}

/** How long each leaver sends requests before and after, in milliseconds. */
const before = 150;
const after = 200;

type Send = (node: string) => Promise<Response>;

export async function measureLeavers(options: LeaverOptions): Promise<LeaverResult> {
  const result: LeaverResult = {
    leavers: 0,
    requests: 0,
    accepted: 0,
    acceptedAfter: 0,
    lastAccepted: [],
    pollsEnded: [],
    deactivations: [],
  };
  const turns = Array.from({ length: options.leavers }, (_, number) => number);
  const next = async (): Promise<void> => {
    for (let number = turns.shift(); number !== undefined; number = turns.shift())
      await measureOne(options, number, result);
  };
  await Promise.all(Array.from({ length: options.atOnce }, next));
  return result;
}

async function measureOne(options: LeaverOptions, number: number, result: LeaverResult): Promise<void> {
  const { nodes, deactivate, newLeaver } = options;
  const leaver = await newLeaver(number);
  const kinds = requestsOf(options, leaver);
  const queue = await registerQueue(options, leaver, nodes[number % nodes.length] ?? "");
  const polled = queue.poll().then(
    () => performance.now(),
    () => performance.now(), // as below
  );
  let answeredAt = Infinity;
  let isOver = false;
  let lastAccepted = -Infinity;
  const hammer = async (node: string, offset: number): Promise<void> => {
    for (let turn = offset; !isOver; turn++) {
      const send = kinds[turn % kinds.length] as Send; // within its length
      const begunAt = performance.now();
      const isAccepted = await send(node).then(
        ({ ok }) => ok,
        () => false, // the server closed an idle connection at the moment the request was sent
      );
      result.requests++;
      if (!isAccepted) continue;
      result.accepted++;
      lastAccepted = Math.max(lastAccepted, begunAt);
      if (begunAt > answeredAt) result.acceptedAfter++;
    }
  };
  const hammers = nodes.flatMap((node) => [hammer(node, 0), hammer(node, 1)]);
  await pause(before);
  const leftAt = performance.now();
  await deactivate(leaver, nodes[number % nodes.length] ?? "");
  answeredAt = performance.now();
  await pause(after);
  isOver = true;
  await Promise.all(hammers);
  result.leavers++;
  result.deactivations.push(answeredAt - leftAt);
  result.lastAccepted.push(lastAccepted - answeredAt);
  result.pollsEnded.push((await polled) - answeredAt);
}

const headersOf = ({ headers }: LeaverOptions, { email, apiKey }: Leaver): Record<string, string> => ({
  ...headers,
  authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`,
});

/** Reading, writing, and registering: the ways in which nodes check an account differ. */
function requestsOf(options: LeaverOptions, leaver: Leaver): Send[] {
  const headers = headersOf(options, leaver);
  const post = (path: string, form: Record<string, string>) => async (node: string) =>
    drained(await fetch(`${node}/api/v1${path}`, { method: "POST", headers, body: new URLSearchParams(form) }));
  const get = (path: string) => async (node: string) => drained(await fetch(`${node}/api/v1${path}`, { headers }));
  return [
    get("/users/me"),
    post("/messages", { type: "direct", to: JSON.stringify([leaver.id]), content: "still here" }),
    get("/messages?anchor=newest&num_before=1&num_after=0"),
    post("/register", { event_types: '["message"]', fetch_event_types: "[]" }),
  ];
}

async function drained(response: Response): Promise<Response> {
  await response.arrayBuffer();
  return response;
}

/** Sends a request that may be repeated until there is a response. */
async function insist(send: () => Promise<Response>, attempts = 3): Promise<Response> {
  try {
    return await send();
  } catch (error) {
    if (attempts === 1) throw error;
    return insist(send, attempts - 1);
  }
}

async function registerQueue(options: LeaverOptions, leaver: Leaver, node: string) {
  const headers = headersOf(options, leaver);
  const body = new URLSearchParams({ event_types: '["realm"]', fetch_event_types: "[]" });
  const response = await insist(() => fetch(`${node}/api/v1/register`, { method: "POST", headers, body }));
  const { queue_id, last_event_id } = (await response.json()) as { queue_id: string; last_event_id: number };
  const query = new URLSearchParams({ queue_id, last_event_id: String(last_event_id) });
  return { poll: async () => drained(await fetch(`${node}/api/v1/events?${query}`, { headers })) };
}

/** Deactivates an account as Microsoft Entra does. */
export async function deactivateByScim(
  node: string,
  headers: Record<string, string>,
  token: string,
  id: number,
): Promise<void> {
  const body = JSON.stringify({
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "Replace", path: "active", value: "False" }],
  });
  const ours = { ...headers, authorization: `Bearer ${token}`, "content-type": "application/scim+json" };
  const response = await insist(() => fetch(`${node}/scim/v2/Users/${id}`, { method: "PATCH", headers: ours, body }));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the deactivation failed: ${response.status} ${text}`);
}
