import { expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { endpoints } from "./all.ts";
import { createClient, encodeCall } from "./client.ts";
import { alias, aliasOf, descriptionOf, json, jsonOnWire, type WireParam } from "./endpoint.ts";
import { updateMessageFlags } from "./flags.ts";
import { getMessage, sendMessage } from "./messages.ts";
import { documentPath } from "./openapi.ts";
import { subscribe, unsubscribe } from "./subscriptions.ts";
import { getUserByEmail, getUsers } from "./users.ts";

/** A client that records its requests instead of sending them. */
function recordingClient(answer: string) {
  const sent: { url: string; init: RequestInit }[] = [];
  const client = createClient({
    site: "https://chat.example.com",
    email: "zoë@example.com",
    apiKey: "k",
    fetch: (url, init) => {
      const { href } = new URL(url instanceof Request ? url.url : url);
      sent.push({ url: href, init: init ?? {} });
      return Promise.resolve(new Response(answer));
    },
  });
  return { client, sent };
}

test.each([
  ["general", '"general"'],
  [7, "7"],
  ["7", '"7"'],
  [[9, 10], "[9,10]"],
  [["a@b.c"], '["a@b.c"]'],
])("the recipient %j goes out as %s and comes back", (to, text) => {
  const { form } = encodeCall(sendMessage, { type: "stream", to, content: "Hi" });

  expect(form["to"]).toBe(text);
  expect(sendMessage.params.to.parse(text)).toEqual(to);
});

test.each([
  ["general", "general"],
  ["7", 7],
  ['["general"]', ["general"]],
  ["[7]", [7]],
  ["a@b.c,d@e.f", "a@b.c,d@e.f"],
])("the recipient %s as clients write it is read as %j", (text, to) => {
  expect(sendMessage.params.to.parse(text)).toEqual(to);
});

test.each([
  ["30", 30],
  ["unlimited", "unlimited"],
  ['"realm_default"', "realm_default"],
])("a retention of %s is read as %j", (text, days) => {
  expect(subscribe.params.message_retention_days.parse(text)).toBe(days);
});

test("a parameter of GET is sent in the query, and defaults are left to the server", async () => {
  const { client, sent } = recordingClient('{"result": "success", "msg": "", "members": []}');

  const answer = await client.call(getUsers, { client_gravatar: false });

  expect(answer).toEqual({ result: "success", msg: "", members: [] });
  expect(sent[0]?.url).toBe("https://chat.example.com/api/v1/users?client_gravatar=false");
  expect(sent[0]?.init.body).toBeUndefined();
});

test("a parameter of any other method is sent in the body", async () => {
  const { client, sent } = recordingClient('{"result": "error", "msg": "No", "code": "BAD_REQUEST"}');

  const answer = await client.call(unsubscribe, { subscriptions: ["a & b"] });

  expect(answer).toEqual({ result: "error", msg: "No", code: "BAD_REQUEST" });
  expect(sent[0]?.init.method).toBe("DELETE");
  expect(sent[0]?.init.body).toEqual(new URLSearchParams({ subscriptions: '["a & b"]' }));
});

test("a path parameter is escaped and is not sent twice", () => {
  expect(encodeCall(getUserByEmail, { email: "a/b?c@d.e" })).toEqual({ path: "/users/a%2Fb%3Fc%40d.e", form: {} });
});

test("credentials may contain any character", async () => {
  const { client, sent } = recordingClient('{"result": "success", "msg": ""}');

  await client.request("GET", "/users/me");

  expect(sent[0]?.init.headers).toEqual({
    authorization: `Basic ${Buffer.from("zoë@example.com:k").toString("base64")}`,
  });
});

test("a response that is not JSON is reported as an error", async () => {
  const { client } = recordingClient("<h1>Bad gateway</h1>");

  await expect(client.request("GET", "/users/me")).rejects.toThrow(
    "GET /users/me returned status 200 with a body that is not JSON",
  );
});

test("a required parameter cannot be omitted", () => {
  // @ts-expect-error: `content` is missing.
  expect(() => encodeCall(sendMessage, { type: "direct", to: [7] })).toThrow(z.core.$ZodError);
});

test("the types of responses come from the declaration", () => {
  const { client } = recordingClient("{}");
  const call = () => client.call(updateMessageFlags, { messages: [1], op: "add", flag: "read" });

  expectTypeOf<Extract<Awaited<ReturnType<typeof call>>, { result: "success" }>["messages"]>().toEqualTypeOf<
    number[]
  >();
});

test("metadata of a parameter survives later modifiers", () => {
  const parameter = alias(json(z.string()).describe("The topic."), "subject").optional();

  expect(aliasOf(parameter)).toBe("subject");
  expect(aliasOf(parameter.describe("Another text."))).toBe("subject");
  expect(jsonOnWire(parameter)).toBe("always");
  expect(descriptionOf(parameter)).toBe("The topic.");
});

test("a parameter that is not a string on the wire cannot be declared", () => {
  expectTypeOf<z.ZodInt>().not.toExtend<WireParam>();
  expectTypeOf<z.ZodCodec<z.ZodString, z.ZodInt>>().toExtend<WireParam>();
});

test("every operation has a unique name and path", () => {
  const names = endpoints.map((declared) => declared.operation);
  const places = endpoints.map((declared) => `${declared.method} ${documentPath(declared)}`);

  expect(new Set(names).size).toBe(names.length);
  expect(new Set(places).size).toBe(places.length);
});

test("every parameter has a description", () => {
  const undescribed = endpoints.flatMap((declared) =>
    Object.entries(declared.params)
      .filter(([, parameter]) => descriptionOf(parameter) === "")
      .map(([name]) => `${declared.operation} ${name}`),
  );

  expect(undescribed).toEqual([]);
});

test("message IDs are sent as part of the path", () => {
  expect(encodeCall(getMessage, { message_id: 12, apply_markdown: false })).toEqual({
    path: "/messages/12",
    form: { apply_markdown: "false" },
  });
});
