/**
 * No client input breaks the server. This test sends invalid values for every parameter of every endpoint: the response
 * must be a documented one, never an internal error, and a rejected request must not have changed anything.
 *
 * Each parameter gets every second value, and the next parameter the others; BAD_INPUT=all sends all of them.
 */
import { randomBytes } from "node:crypto";
import { endpoints } from "@skein/api/all.ts";
import { aliasOf, decodedSchema, isRequired, jsonOnWire, pathNames, type Endpoint } from "@skein/api/endpoint.ts";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { z } from "zod";
import { newRealm, type TestRealm, type TestUser } from "../../test/realm.ts";
import { channelOf, sendToChannel } from "../../test/actions.ts";

/** Percent-encoded, because some of these bytes are not valid text. */
const badTexts: [name: string, escaped: string][] = [
  ["nothing", ""],
  ["a space", "%20"],
  ["a word", "word"],
  ["null", "null"],
  ["true", "true"],
  ["zero", "0"],
  ["minus one", "-1"],
  ["a fraction", "1.5"],
  ["not a number", "NaN"],
  ["more than a double", "1e400"],
  ["more than 2^53", "9007199254740993"],
  ["more than 2^64", "99999999999999999999999"],
  ["less than -2^63", "-9223372036854775809"],
  ["more than 2^31", "4294967296"],
  ["an empty list", "[]"],
  ["a list of null", "[null]"],
  ["a list of lists", "[[1],[2]]"],
  ["a list of different things", encodeURIComponent('[1,"a",null,{}]')],
  ["an object", encodeURIComponent('{"a":1}')],
  ["an object with a prototype", encodeURIComponent('{"__proto__":{"x":1},"constructor":1}')],
  ["a text in JSON", encodeURIComponent('"text"')],
  ["incomplete JSON", encodeURIComponent('{"a":')],
  ["NUL", "%00"],
  ["NUL inside", "a%00b"],
  ["NUL in JSON", encodeURIComponent('"a\\u0000b"')],
  ["NUL in a list", encodeURIComponent('["a\\u0000b"]')],
  ["an unpaired surrogate in JSON", encodeURIComponent('"\\ud800"')],
  ["an unpaired surrogate in a list", encodeURIComponent('["\\udfff","\\ud800x"]')],
  ["bytes that are not text", "%ff%fe%80"],
  ["an overlong encoding", "%c0%af"],
  ["a quote", encodeURIComponent(`'"; drop table users; --`)],
  ["a path traversal", encodeURIComponent("../../../etc/passwd")],
  ["control characters", "%01%1b%7f%c2%85"],
  ["text from right to left", encodeURIComponent("\u202etxet")],
  ["deep JSON", encodeURIComponent("[".repeat(3000) + "]".repeat(3000))],
  ["a long list", encodeURIComponent(JSON.stringify(Array.from({ length: 2000 }, (_, n) => n)))],
];
/** JSON for JSON parameters and text for others, so that it is not rejected for its format alone. */
const longFor = (isJson: boolean): [string, string] =>
  isJson
    ? ["a million characters in JSON", `%22${"y".repeat(1_000_000)}%22`]
    : ["a million characters", "x".repeat(1_000_000)];

function isJsonText(escaped: string): boolean {
  try {
    JSON.parse(decodeURIComponent(escaped));
    return true;
  } catch {
    return false;
  }
}

/** A JSON parameter rejects all other text alike, and a text parameter treats all JSON alike, so a few of those suffice. */
const samples = new Set([
  "nothing",
  "NUL inside",
  "incomplete JSON",
  "bytes that are not text",
  "null",
  "zero",
  "deep JSON",
]);
const textsFor = (json: "always" | "or text" | undefined): typeof badTexts =>
  badTexts.filter(
    ([name, text]) => json === "or text" || samples.has(name) || isJsonText(text) === (json === "always"),
  );

const sendsAll = process.env["BAD_INPUT"] === "all";

interface Attempt {
  name: string;
  method: string;
  path: string;
  /** Percent-encoded. */
  form: string;
}

type Values = Record<string, string>;

/** A valid value for a parameter in wire format: by its name if known, otherwise by its type. */
function usual(endpoint: Endpoint, name: string, known: Values): string {
  const byName = known[name];
  if (byName !== undefined) return byName;
  const schema = endpoint.params[name];
  if (!schema) return "";
  const decoded = z.toJSONSchema(decodedSchema(schema), { unrepresentable: "any" });
  const isJson = jsonOnWire(schema) === "always";
  const [first] = decoded.enum ?? [];
  if (first !== undefined) return isJson ? JSON.stringify(first) : String(first);
  if (decoded.type === "integer" || decoded.type === "number") return "1";
  if (decoded.type === "boolean") return "true";
  if (decoded.type === "array") return "[]";
  if (decoded.type === "object") return "{}";
  return isJson ? '"x"' : "x";
}

function attemptsFor(endpoint: Endpoint, known: Values): Attempt[] {
  const inPath = pathNames(endpoint.path);
  const names = Object.keys(endpoint.params);
  const build = (what: string, values: Map<string, string>, extra = ""): Attempt => {
    const path = inPath.reduce((done, name) => done.replace(`{${name}}`, values.get(name) ?? ""), endpoint.path);
    const fields = [...values].filter(([name]) => !inPath.includes(name)).map(([name, value]) => `${name}=${value}`);
    const form = [...fields, ...(extra === "" ? [] : [extra])].join("&");
    return { name: `${endpoint.method} ${endpoint.path} with ${what}`, method: endpoint.method, path, form };
  };
  const required = names.filter(
    (name) =>
      inPath.includes(name) ||
      isRequired(endpoint.params[name] ?? neverUndefined) ||
      alwaysGiven[endpoint.operation]?.includes(name),
  );
  return names.flatMap((name, position) => {
    const half = (endpoint.operation.length + position) % 2;
    const isPath = inPath.includes(name);
    const others = new Map(
      required.filter((one) => one !== name).map((one) => [one, encodeURIComponent(usual(endpoint, one, known))]),
    );
    const withValue = (value: string) => new Map([...others, [name, value]]);
    const json = jsonOnWire(endpoint.params[name] ?? neverUndefined);
    const texts = isPath
      ? badTexts.filter(([, text]) => text !== "" && text.length < 4000)
      : [...textsFor(json), longFor(json === "always")];
    const wrong = texts
      .filter((_, index) => sendsAll || index % 2 === half)
      .map(([what, text]) => build(`${what} as ${name}`, withValue(text)));
    if (isPath) return wrong;
    const value = encodeURIComponent(usual(endpoint, name, known));
    const older = aliasOf(endpoint.params[name] ?? neverUndefined);
    return [
      ...wrong,
      build(`no ${name}`, others),
      build(`${name} twice`, withValue(value), `${name}=${value}`),
      build(`${name} in brackets`, others, `${name}[]=${value}&${name}[a]=1`),
      ...(older === undefined ? [] : [build(`${name} and ${older}`, withValue(value), `${older}=${value}`)]),
    ];
  });
}

/** Without these parameters, a read of events would wait. */
const alwaysGiven: Record<string, string[]> = { "get-events": ["queue_id", "dont_block"] };

const [anyEndpoint] = endpoints;
const neverUndefined = Object.values(anyEndpoint?.params ?? {})[0] as Endpoint["params"][string]; // for names that exist

interface Outcome {
  attempt: Attempt;
  status: number;
  body: string;
}

async function send(realm: TestRealm, user: TestUser, attempt: Attempt, turn: number): Promise<Outcome> {
  const node = realm.nodes[turn % realm.nodes.length];
  const inQuery = attempt.method === "GET" && attempt.form.length < 8000;
  const response = await fetch(
    `${node?.url}/api/v1${attempt.path}${inQuery && attempt.form ? `?${attempt.form}` : ""}`,
    {
      method: attempt.method === "GET" && !inQuery ? "POST" : attempt.method,
      headers: {
        authorization: `Basic ${btoa(`${user.email}:${user.apiKey}`)}`,
        "x-forwarded-host": realm.host,
        "content-type": "application/x-www-form-urlencoded",
      },
      redirect: "manual",
      ...(inQuery ? {} : { body: attempt.method === "GET" ? `method=GET&${attempt.form}` : attempt.form }),
    },
  );
  return { attempt, status: response.status, body: await response.text() };
}

async function sendAll(realm: TestRealm, user: TestUser, attempts: Attempt[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = [...attempts.entries()];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      outcomes.push(await send(realm, user, next[1], next[0]));
  };
  await Promise.all(Array.from({ length: 12 }, worker));
  return outcomes;
}

/** Tables that are also written by reads, workers and nodes. */
const ignoredTables = [
  "audit_destinations",
  "audit_heads",
  "event_queues",
  "ldap_syncs",
  "login_failures",
  "message_search",
  "missed_message_batches",
  "missed_messages",
  "notification_revisits",
  "presences",
  "pushes",
];

/** Rows that a rejected request adds on purpose. */
const ignoredRows: Record<string, string> = { audit_log: "action in ('sign_in.failure', 'second_factor.failure')" };

/** A hash of the organization's rows in all other tables, which a rejected request must not change. */
async function fingerprint(realm: TestRealm): Promise<string> {
  const { db } = realm.ctx;
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'realm_id'
      and table_name not in (${sql.join(ignoredTables)}) order by 1`.execute(db);
  const prints = tables.map(
    ({ name }) => sql`
      select ${sql.lit(name)} || ':' || count(*) || ':' || coalesce(sum(hashtextextended(t::text, 0)), 0) as print
      from ${sql.table(name)} t where realm_id = ${realm.id} and not (${sql.raw(ignoredRows[name] ?? "false")})`,
  );
  const { rows } = await sql<{ print: string }>`${sql.join(prints, sql` union all `)}`.execute(db);
  return rows.map(({ print }) => print).join("\n");
}

const timeoutMilliseconds = 60_000;

/**
 * Workers may still be processing earlier, accepted requests, such as an export. So a change counts only if it occurs in
 * every round, for longer than such work takes. A request that was rejected because of an earlier state may be accepted
 * now, and then may change rows.
 */
async function changesSomething(realm: TestRealm, refused: Attempt[]): Promise<{ sent: number; isChanged: boolean }> {
  const begun = performance.now();
  for (let round = 1; ; round++) {
    const before = await fingerprint(realm);
    const outcomes = await sendAll(realm, realm.admin, refused);
    const isAccepted = outcomes.some(({ status }) => status < 400);
    const isChanged = !isAccepted && (await fingerprint(realm)) !== before;
    if (!isChanged || performance.now() - begun > timeoutMilliseconds)
      return { sent: round * refused.length, isChanged };
  }
}

const isDocumented = ({ status, body }: Outcome): boolean => {
  if (status === 414 || status === 431) return true; // the path is too long for the HTTP server
  if (status >= 300 && status < 400) return true; // a redirect to a picture
  const answer = JSON.parse(body) as { result?: string; msg?: unknown };
  return status < 500 && typeof answer.msg === "string" && answer.result === (status === 200 ? "success" : "error");
};

test("invalid values of any parameter cause no internal error and no change", { timeout: 900_000 }, async () => {
  const realm = await newRealm();
  const people = [await realm.user("ann"), await realm.user("bob")];
  const [ann, bob] = people as [TestUser, TestUser];
  const channel = await channelOf([realm.admin, ann, bob], "general");
  const messageId = await sendToChannel(realm.admin, channel);
  const queue = await realm.admin.register();
  const known: Values = {
    content: "hello",
    topic: "plans",
    type: "channel",
    to: String(channel.id),
    op: "add",
    flag: "starred",
    stream_id: String(channel.id),
    user_id: String(bob.id),
    muted_user_id: String(bob.id),
    message_id: String(messageId),
    messages: `[${messageId}]`,
    queue_id: queue.id,
    email: encodeURIComponent(ann.email),
    subscriptions: '["general"]',
    dont_block: "true",
    name: `n${randomBytes(4).toString("hex")}`,
  };
  const problems: string[] = [];
  let count = 0;
  for (const endpoint of endpoints) {
    const first = await sendAll(realm, realm.admin, attemptsFor(endpoint, known));
    for (const outcome of first)
      if (!isDocumented(outcome))
        problems.push(`${outcome.attempt.name}: ${outcome.status} ${outcome.body.slice(0, 200)}`);

    // Repeats some of the rejected requests and checks that they change nothing.
    const refused = first.filter(({ status }, index) => status >= 400 && index % 4 === 0).map(({ attempt }) => attempt);
    const { sent, isChanged } = await changesSomething(realm, refused);
    if (isChanged) problems.push(`${endpoint.method} ${endpoint.path} changed something`);
    count += first.length + sent;
  }
  expect(problems).toEqual([]);
  expect(count).toBeGreaterThan(sendsAll ? 20_000 : 10_000);
});
