/** With rate limits enabled, how much work one client can cause on a node, and whether others notice. */
import { getOwnUser } from "@skein/api/users.ts";
import { expect, test } from "vitest";
import { authorizationOf } from "../../test/files.ts";
import { startNode } from "../../test/nodes.ts";
import { newRealm, type TestRealm, type TestUser } from "../../test/realm.ts";

const limited = { environment: { SKEIN_RATE_LIMITS: "true", SKEIN_ROLES: "api" } };

type Node = Awaited<ReturnType<typeof startNode>>;

const headersOf = (realm: TestRealm, authorization: string, address = "192.0.2.1") => ({
  authorization,
  "x-forwarded-host": realm.host,
  "x-forwarded-for": address,
});

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

const ownUser = (node: Node, realm: TestRealm, authorization: string, address?: string) =>
  fetch(`${node.url}/api/v1${getOwnUser.path}`, { headers: headersOf(realm, authorization, address) });

const statementsOf = async (node: Node): Promise<number> => {
  const { values } = await node.ctx.metrics.statements.get();
  return values.reduce((sum, { value }) => sum + value, 0);
};

/** Sends batches of requests until one is rejected; returns all responses and how long it took. */
async function untilRefused(ask: (n: number) => Promise<Response>, most: number) {
  const begun = performance.now();
  const answers: Response[] = [];
  while (answers.length < most && !answers.some(({ status }) => status === 429))
    answers.push(...(await Promise.all(Array.from({ length: 25 }, (_, n) => ask(answers.length + n)))));
  return { answers, statuses: answers.map(({ status }) => status), seconds: (performance.now() - begun) / 1000 };
}

const countOf = (statuses: number[], wanted: number): number => statuses.filter((status) => status === wanted).length;

test("after too many wrong keys from one IP address, wrong keys are no longer looked up, and valid ones still work", async () => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const newcomer = await realm.user("newcomer");
  expect((await ownUser(node, realm, authorizationOf(realm.admin))).status).toBe(200);
  const before = await statementsOf(node);

  const guess = (n: number) => ownUser(node, realm, basic(`a@example.com:wrong${n}`));
  const { statuses } = await untilRefused(guess, 1000);
  const wrong = countOf(statuses, 401);

  expect(countOf(statuses, 429)).toBeGreaterThan(0);
  expect(wrong).toBeGreaterThanOrEqual(60);
  // Requests over the limit do not query the database.
  expect((await statementsOf(node)) - before).toBeLessThan(wrong + 10);
  expect((await ownUser(node, realm, authorizationOf(realm.admin))).status).toBe(200);
  expect((await ownUser(node, realm, authorizationOf(newcomer))).status).toBe(200);
  expect((await ownUser(node, realm, basic("a@example.com:wrong"), "192.0.2.2")).status).toBe(401);
});

test("a wrong key that is repeated is looked up once", async () => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const before = await statementsOf(node);

  for (let n = 0; n < 40; n++) await ownUser(node, realm, basic("a@example.com:old"));

  expect((await statementsOf(node)) - before).toBeLessThan(5);
});

test.each([
  ["urlencoded", "application/x-www-form-urlencoded", (text: string) => `messages=${text}`],
  ["JSON", "application/json", (text: string) => JSON.stringify({ messages: text })],
])("a large %s form counts as many requests, and another account is not affected", async (_kind, type, encode) => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const [guest, other] = [await realm.user("guest", { role: 600 }), await realm.user("other")];
  const send = (user: TestUser, mebibytes: number) =>
    fetch(`${node.url}/api/v1/messages/flags`, {
      method: "POST",
      headers: { ...headersOf(realm, authorizationOf(user)), "content-type": type },
      body: encode("x".repeat(mebibytes * 1024 ** 2)),
    });

  const [first, second, third] = [await send(guest, 5), await send(guest, 5), await send(guest, 5)];
  const small = await ownUser(node, realm, authorizationOf(guest));

  expect([first.status, second.status, third.status]).toEqual([400, 400, 429]);
  // 5 MiB are 80 times 64 KiB, and the names around them begin another piece.
  expect(first.headers.get("x-ratelimit-remaining")).toBe("119");
  expect(Number(third.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(small.headers.get("x-ratelimit-remaining")).toBe("36");
  expect((await send(other, 5)).status).toBe(400);
});

test("of one account's many concurrent registrations only some wait, and another account's overtakes them", async () => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const other = await realm.user("other");
  const register = (user: TestUser) =>
    fetch(`${node.url}/api/v1/register`, { method: "POST", headers: headersOf(realm, authorizationOf(user)) });
  for (const user of [realm.admin, other]) expect((await register(user)).status).toBe(200);
  let served = 0;

  const flood = Array.from({ length: 50 }, async () => {
    const { status, headers } = await register(realm.admin);
    if (status === 200) served++;
    return { status, retryAfter: Number(headers.get("retry-after")) };
  });
  const overtaking = await register(other);
  const servedBefore = served;
  const outcomes = await Promise.all(flood);

  expect(overtaking.status).toBe(200);
  expect(servedBefore).toBeLessThan(served);
  expect(served).toBeGreaterThan(20);
  const refused = outcomes.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(outcomes.length - served);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.every(({ retryAfter }) => retryAfter > 0)).toBe(true);
});

test("pages are limited per account, and one account's flood does not affect another", async () => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const other = await realm.user("other");
  const avatar = (user: TestUser) =>
    fetch(`${node.url}/avatar/${user.id}`, { headers: headersOf(realm, authorizationOf(user)), redirect: "manual" });

  const { statuses, seconds } = await untilRefused(() => avatar(realm.admin), 3000);

  expect(countOf(statuses, 429)).toBeGreaterThan(0);
  expect(countOf(statuses, 200)).toBeGreaterThanOrEqual(600);
  expect(countOf(statuses, 200)).toBeLessThan(620 + 10 * seconds);
  expect((await avatar(other)).status).toBe(200);
});

test("resumable uploads count towards the limit of API requests", async () => {
  const realm = await newRealm();
  const node = await startNode(limited);
  const guest = await realm.user("guest", { role: 600 });
  const upload = () =>
    fetch(`${node.url}/api/v1/tus/`, {
      method: "POST",
      headers: {
        ...headersOf(realm, authorizationOf(guest)),
        "tus-resumable": "1.0.0",
        "upload-length": "4",
        "content-type": "application/offset+octet-stream",
      },
      body: "abcd",
    });

  const { answers, statuses, seconds } = await untilRefused(upload, 1000);

  expect(countOf(statuses, 201)).toBeGreaterThanOrEqual(200);
  expect(countOf(statuses, 201)).toBeLessThan(210 + 4 * seconds);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused?.headers.get("tus-resumable")).toBe("1.0.0");
});
