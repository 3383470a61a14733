/** Rate limits of an account; reads of events have a separate one. */
import { expect, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestUser } from "../../test/realm.ts";
import { channelOf } from "../../test/actions.ts";
import { readConfig } from "../config.ts";
import { BucketLimiter, perMinute, RateLimiter } from "./rate-limit.ts";

const basic = ({ email, apiKey }: TestUser) => `Basic ${btoa(`${email}:${apiKey}`)}`;

test("five messages a second for ten minutes can be sent and read without reaching a limit", () => {
  const { requestsPerMinute, eventReadsPerMinute } = readConfig({});
  let now = 0;
  const requests = new RateLimiter(perMinute(requestsPerMinute), () => now);
  const reads = new BucketLimiter(perMinute(eventReadsPerMinute), () => now);
  const senders = [1, 2, 3];
  const devices = 5; // each of the reader's devices reads again after every message

  for (let message = 0; message < 10 * 60 * 5; message++) {
    now += 200;
    expect(() => requests.count(senders[message % senders.length] ?? 0)).not.toThrow();
    for (let device = 0; device < devices; device++) expect(() => reads.count(7)).not.toThrow();
  }
});

test("a bucket refills over time, and reports when", () => {
  let now = 0;
  const limiter = new BucketLimiter({ calls: 2, seconds: 10 }, () => now);

  expect(limiter.count(1)).toEqual({
    "X-RateLimit-Limit": "2",
    "X-RateLimit-Remaining": "1",
    "X-RateLimit-Reset": "5",
  });
  limiter.count(1);
  expect(() => limiter.count(1)).toThrow(
    expect.objectContaining({ code: "RATE_LIMIT_HIT", status: 429, data: { "retry-after": 5 } }),
  );
  limiter.count(2);
  now = 5000;
  limiter.count(1);
  expect(() => limiter.count(1)).toThrow("API usage exceeded rate limit");
});

test("reads of events do not count towards the limit of other requests", async () => {
  const realm = await newRealm();
  const { admin, host } = realm;
  const channel = await channelOf([admin], "busy");
  const { queue_id, last_event_id } = (await admin.request("POST", "/register", { event_types: '["message"]' })) as {
    queue_id: string;
    last_event_id: number;
  };
  const environment = {
    SKEIN_RATE_LIMITS: "true",
    SKEIN_REQUESTS_PER_MINUTE: "3",
    SKEIN_EVENT_READS_PER_MINUTE: "10",
    SKEIN_ROLES: "api",
  };
  const { url } = await startNode({ environment });
  const headers = { authorization: basic(admin), "x-forwarded-host": host };
  const read = async () => {
    const query = `queue_id=${queue_id}&last_event_id=${last_event_id}&dont_block=true`;
    return (await fetch(`${url}/api/v1/events?${query}`, { headers })).status;
  };
  const send = async () => {
    const body = new URLSearchParams({ type: "channel", to: String(channel.id), topic: "x", content: "x" });
    return (await fetch(`${url}/api/v1/messages`, { method: "POST", headers, body })).status;
  };

  const reads: number[] = [];
  for (let n = 0; n < 15; n++) reads.push(await read());
  const sends = [await send(), await send(), await send(), await send()];

  expect(reads.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 200));
  expect(reads).toContain(429);
  expect(sends).toEqual([200, 200, 200, 429]);
});
