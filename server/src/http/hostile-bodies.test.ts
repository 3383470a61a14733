/** No single request delays others, however it is written; each is compared with a harmless one of the same size. */
import { once } from "node:events";
import { Agent, request, type IncomingMessage } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { nodes } from "../../test/nodes.ts";
import { acceptableWait, othersWait, send, type Attack } from "../../test/others-wait.ts";
import { newRealm } from "../../test/realm.ts";
import { decodeField, findField, readPairs, type Form } from "./form.ts";

const urlencoded = { "content-type": "application/x-www-form-urlencoded" };
const kibibyte = 1024;
const mebibyte = 1024 ** 2;

const repeat = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));

function readForm(text: string): Form {
  const form: Form = new Map();
  readPairs(text, form);
  return form;
}

test("decoding matches URLSearchParams", () => {
  const pieces = [
    "%",
    "%4",
    "%41",
    "%F0",
    "%9F",
    "%98%80",
    "%ff",
    "%C3",
    "%A9",
    "+",
    "a",
    "%ed%a0%80",
    "%00",
    "%zz",
    "é",
  ];
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 5000; round++) {
    const text = Array.from({ length: next(10) }, () => pieces[next(pieces.length)]).join("");
    // URLSearchParams garbles characters next to a broken escape, so those are not compared.
    const expected = /[^\0-\x7f]/.test(text) ? text.replaceAll("%", "") : text;
    expect(decodeField(expected)).toBe(new URLSearchParams(`x=${expected}`).get("x"));
  }
  expect(decodeField("%é%zz😀%F0+")).toBe("%é%zz😀\uFFFD ");
});

test("names and values are read as given, and a repeated name is rejected", () => {
  expect([...readForm("a=1&&b&c=x=y&=z")]).toEqual([
    ["a", "1"],
    ["b", ""],
    ["c", "x=y"],
    ["", "z"],
  ]);
  expect(() => readForm("to=3&x=1&t%6F=2")).toThrow("Parameter 'to' was given more than once");
  expect(() => readForm("a&".repeat(1001))).toThrow("Too many parameters (limit: 1000)");
  expect(findField("a=1&payload=%7B%7D&payload=2", "payload")).toBe("{}");
  expect(findField("a=payload=1", "payload")).toBeUndefined();
});

/** The query string of these is parsed before authentication. */
test.each(["/api/v1/server_settings", "/health/live", "/login/", "/api/v1/external/github"])(
  "a long query string of broken escapes at %s does not delay others",
  async (path) => {
    const [{ url }] = await nodes();
    const quiet = await othersWait(url, { path: `${path}?${repeat("x", 120 * kibibyte)}` });

    const attacked = await othersWait(
      url,
      { path: `${path}?${repeat("%F0&", 120 * kibibyte)}` },
      acceptableWait(quiet),
    );

    expect(attacked.waited).toBeLessThan(acceptableWait(quiet));
  },
);

test.each([
  ["/api/v1/messages", 401],
  ["/json/messages", 401],
  ["/api/v1/fetch_api_key", 413],
  ["/api/v1/external/github", 401],
  ["/login/", 413],
  ["/no/such/page", 413],
])("before authentication, only a small part of a body at %s is read", async (path, status) => {
  const [{ url }] = await nodes();
  const headers = urlencoded;
  for (const body of [repeat("%F0&", 512 * kibibyte), repeat("x", 5 * mebibyte)]) {
    const query = path.includes("external") ? "?api_key=00000000000000000000000000000000" : "";
    expect((await send(url, { method: "POST", path: path + query, headers, body })).status).toBe(status);
    const chunked = { ...headers, "transfer-encoding": "chunked" };
    expect((await send(url, { method: "POST", path: path + query, headers: chunked, body })).status).toBe(
      path.startsWith("/json") || path.endsWith("messages") ? 413 : status,
    );
  }
});

test.each([
  ["/api/v1/messages", "application/x-www-form-urlencoded", 401],
  ["/api/v1/messages", "text/plain", 401],
  ["/no/such/page", "text/plain", 404],
])(
  "the rest of a rejected body at %s (%s) is read slowly, and the client gets the response",
  async (path, type, status) => {
    const [{ url }] = await nodes();
    const body = Buffer.alloc(8 * mebibyte);
    const agent = new Agent({ keepAlive: true }); // a connection that is to be closed is closed without reading the rest
    onTestFinished(() => agent.destroy());
    const begun = performance.now();
    const { hostname, port } = new URL(url);
    const sent = request({ hostname, port, method: "POST", path, headers: { "content-type": type }, agent });
    sent.end(body);
    const [[response]] = await Promise.all([
      once(sent, "response") as Promise<[IncomingMessage]>,
      once(sent, "finish"),
    ]);

    // Reading all of it at once takes a few milliseconds; here there is a pause of 5 ms after every 64 KiB.
    expect(performance.now() - begun).toBeGreaterThan(200);
    expect(response.statusCode).toBe(status);
  },
);

const boundary = "b";
const part = (name: string) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\nx\r\n`;
const multipart = { "content-type": `multipart/form-data; boundary=${boundary}` };
const dashes = "-".repeat(60);

test.each<[string, number, Record<string, string>, string]>([
  ["broken escapes", 4, urlencoded, repeat("%F0&", 4 * mebibyte)],
  ["one long broken value", 4, urlencoded, `a=${repeat("%F0", 4 * mebibyte)}`],
  ["one long escaped value", 4, urlencoded, `a=${repeat("%41", 4 * mebibyte)}`],
  ["spaces", 4, urlencoded, `a=${repeat("+", 4 * mebibyte)}`],
  ["names alone", 4, urlencoded, repeat("a&", 4 * mebibyte)],
  ["nothing but separators", 4, urlencoded, repeat("&", 4 * mebibyte)],
  ["many parts", 8, multipart, repeat(part("a"), 8 * mebibyte)],
  [
    "near-boundaries",
    8,
    { "content-type": `multipart/form-data; boundary=${dashes}` },
    `--${dashes}\r\nContent-Disposition: form-data; name=a\r\n\r\n${repeat(`\r\n--${dashes.slice(1)}`, 8 * mebibyte)}`,
  ],
  ["headers of a part", 8, multipart, `--${boundary}\r\n${repeat("X: y\r\n", 8 * mebibyte)}\r\n`],
])("a signed-in user's body of %s does not delay others", async (_name, mebibytes, type, body) => {
  const { admin, host } = await newRealm();
  const [{ url }] = await nodes();
  const headers = {
    authorization: `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`,
    "x-forwarded-host": host,
    ...type,
  };
  const attack: Attack = { method: "POST", path: "/api/v1/messages", headers, body };
  const plain =
    type === urlencoded
      ? `a=${repeat("x", mebibytes * mebibyte)}`
      : `${part("a").slice(0, -2)}${repeat("x", mebibytes * mebibyte)}\r\n--${boundary}--`;
  const quiet = await othersWait(url, {
    ...attack,
    headers: { ...headers, ...(type === urlencoded ? urlencoded : multipart) },
    body: plain,
  });

  const attacked = await othersWait(url, attack, acceptableWait(quiet));

  expect(quiet.status).toBe(400);
  expect(attacked.status).toBe(400);
  expect(attacked.waited).toBeLessThan(acceptableWait(quiet));
});

const many = 300_000;
const listOf = (element: string, count = many) => `[${Array.from({ length: count }, () => element).join(",")}]`;

test.each<[string, string, Record<string, string>, string]>([
  ["wrong recipients", "/messages", { type: "direct", to: listOf("{}"), content: "x" }, "to has too many values"],
  ["wrong IDs", "/messages/flags", { messages: listOf("{}"), op: "add", flag: "read" }, "messages has too many values"],
  [
    "fewer wrong IDs",
    "/messages/flags",
    { messages: listOf('""', 50_000), op: "add", flag: "read" },
    "messages[0] is not an integer",
  ],
  [
    "lists",
    "/messages/flags",
    { messages: listOf("[]", 2 * many), op: "add", flag: "read" },
    "messages has too many values",
  ],
  ["deep lists", "/register", { narrow: "[".repeat(many) + "]".repeat(many) }, "narrow has too many values"],
  [
    "many words",
    "/register",
    { event_types: listOf('"message"', 2000) },
    "event_types is too long (limit: 1000 elements)",
  ],
])("a list of %s does not delay others", async (_name, path, form, msg) => {
  const { admin, host } = await newRealm();
  const [{ url }] = await nodes();
  const headers = {
    authorization: `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`,
    "x-forwarded-host": host,
    ...urlencoded,
  };
  const body = new URLSearchParams(form).toString();
  const attack: Attack = { method: "POST", path: `/api/v1${path}`, headers, body };
  const quiet = await othersWait(url, { ...attack, body: `x=${"y".repeat(body.length)}&op=add` });

  const attacked = await othersWait(url, attack, acceptableWait(quiet));

  expect(JSON.parse(attacked.text)).toMatchObject({ result: "error", msg });
  expect(attacked.waited).toBeLessThan(acceptableWait(quiet));
});

const filePart = (name: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="a.txt"\r\n\r\nwords`;

/** The bodies of these are read before authentication. */
test.each(["/api/v1/messages", "/api/v1/server_settings", "/json/messages", "/login/"])(
  "a multipart body at %s that ends within a file is rejected, and the node keeps working",
  async (path) => {
    const [{ url }] = await nodes();
    for (const body of [filePart("a"), part("a") + filePart("b"), `${filePart("a")}\r\n${filePart("b")}`]) {
      const { status } = await send(url, { method: "POST", path, headers: multipart, body });
      expect(status).toBe(400);
    }

    expect((await send(url, { path: "/health/live" })).status).toBe(200);
  },
);

test("an upload that ends within its first or second file is rejected, and the node keeps working", async () => {
  const { admin, host } = await newRealm();
  const [{ url }] = await nodes();
  const headers = {
    authorization: `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`,
    "x-forwarded-host": host,
    ...multipart,
  };
  for (const path of ["/api/v1/user_uploads", "/api/v1/users/me/avatar"])
    for (const body of [filePart("a"), `${filePart("a")}\r\n${filePart("b")}`]) {
      const { status, text } = await send(url, { method: "POST", path, headers, body });
      expect(status).toBe(400);
      expect(JSON.parse(text)).toMatchObject({ result: "error", msg: "Malformed multipart body" });
    }

  expect((await send(url, { path: "/health/live" })).status).toBe(200);
});
