import { expect, expectTypeOf, test } from "vitest";
import { NoResponse, Refusal } from "./failures.ts";
import { createClient, parseZuliprc } from "./route-client.ts";
import { getFileTemporaryUrl, getMessage, sendMessage, uploadFile } from "./routes.ts";

const json = (status: number, body: object, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });
const limited = (seconds: string) =>
  json(429, { result: "error", msg: "Limited", code: "RATE_LIMIT_HIT" }, { "retry-after": seconds });

function clientWith(...replies: (Response | Error)[]) {
  const sent: { url: string; init: RequestInit }[] = [];
  const client = createClient({
    site: "https://chat.example.com",
    email: "zoë@example.com",
    apiKey: "k",
    userAgent: "echo/1.0",
    fetch: (url, init) => {
      sent.push({ url: new URL(url instanceof Request ? url.url : url).href, init: init ?? {} });
      const reply = replies.shift();
      return reply instanceof Response ? Promise.resolve(reply) : Promise.reject(reply ?? new Error("no more replies"));
    },
  });
  return { client, sent };
}

test("a call sends its parameters, and returns the typed response", async () => {
  const { client, sent } = clientWith(json(200, { result: "success", msg: "", id: 3 }));

  const { id } = await client.call(sendMessage, { type: "stream", to: "lobby", topic: "hello", content: "Hi & bye" });

  expectTypeOf(id).toEqualTypeOf<number>();
  expect(id).toBe(3);
  expect(sent[0]?.url).toBe("https://chat.example.com/api/v1/messages");
  expect(sent[0]?.init).toMatchObject({ method: "POST" });
  expect(sent[0]?.init.headers).toEqual({
    "user-agent": "echo/1.0",
    authorization: `Basic ${Buffer.from("zoë@example.com:k").toString("base64")}`,
  });
  expect(Object.fromEntries(sent[0]?.init.body as URLSearchParams)).toEqual({
    type: "stream",
    to: '"lobby"',
    topic: "hello",
    content: "Hi & bye",
  });
});

test("parameters of the path are filled in, the others of a GET are in the query", async () => {
  const { client, sent } = clientWith(
    json(200, { result: "success", msg: "" }),
    json(200, { result: "success", msg: "" }),
  );

  await client.call(getMessage, { message_id: 7, apply_markdown: false });
  await client.call(getFileTemporaryUrl, { realm_id_str: 2, filename: "a $& b.png" });

  expect(sent[0]?.url).toBe("https://chat.example.com/api/v1/messages/7?apply_markdown=false");
  expect(sent[1]?.url).toContain("/2/a%20%24%26%20b.png");
});

test("a file is sent as multipart", async () => {
  const { client, sent } = clientWith(json(200, { result: "success", msg: "" }));

  await client.call(uploadFile, {}, { file: new File(["text"], "notes.txt") });

  const body = sent[0]?.init.body as FormData;
  expect((body.get("file") as File).name).toBe("notes.txt");
});

test("a refusal is thrown with its code and its other fields", async () => {
  const { client } = clientWith(
    json(400, { result: "error", msg: "No such channel", code: "STREAM_DOES_NOT_EXIST", stream: "x" }),
  );

  const refusal = await client
    .call(sendMessage, { type: "stream", to: "x", topic: "t", content: "c" })
    .catch((error: unknown) => error);

  expect(refusal).toBeInstanceOf(Refusal);
  expect(refusal).toMatchObject({
    message: "No such channel",
    code: "STREAM_DOES_NOT_EXIST",
    status: 400,
    data: { stream: "x" },
  });
});

test.each([
  ["no connection", new TypeError("fetch failed"), undefined],
  ["an error of the server", json(500, { result: "error", msg: "Internal server error" }), 500],
  ["a proxy's page", new Response("<h1>Bad gateway</h1>", { status: 502 }), 502],
  ["a page of another server", new Response("<h1>Welcome</h1>"), 200],
])("after %s, it is unknown whether the call took effect, and it is not repeated", async (_name, reply, status) => {
  const { client, sent } = clientWith(reply);

  const failure = await client.call(getMessage, { message_id: 7 }).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(NoResponse);
  expect(failure).toMatchObject({ status });
  expect(sent).toHaveLength(1);
});

test("a response that is cut off is no response", async () => {
  const body = new ReadableStream({ pull: (controller) => controller.error(new TypeError("terminated")) });

  await expect(clientWith(new Response(body)).client.call(getMessage, { message_id: 7 })).rejects.toMatchObject({
    name: "NoResponse",
    status: undefined,
  });
});

test("a call that was refused because of a rate limit is repeated, up to a limit", async () => {
  const { client, sent } = clientWith(
    limited("0"),
    json(200, { result: "success", msg: "" }),
    limited("3600"),
    limited("0"),
  );

  await client.call(getMessage, { message_id: 7 });
  expect(sent).toHaveLength(2);
  await expect(client.call(getMessage, { message_id: 7 })).rejects.toMatchObject({
    status: 429,
    retryAfter: 3_600_000,
  });
  await expect(client.call(getMessage, { message_id: 7 }, { rateLimitPatience: 0 })).rejects.toThrow("Limited");
  expect(sent).toHaveLength(4);
});

test("a zuliprc file has site, e-mail address and key", () => {
  const text = "# mine\r\n[api]\r\nemail=echo@example.com\r\nkey = a=b\r\nsite: https://chat.example.com\r\n";

  expect(parseZuliprc(text)).toEqual({ site: "https://chat.example.com", email: "echo@example.com", apiKey: "a=b" });
  expect(() => parseZuliprc("[api]\nemail=x\n")).toThrow("no site");
});
