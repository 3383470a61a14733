/** Parameters in a JSON body, and ambiguous parameters. */
import { expect, test } from "vitest";
import { nodes } from "../../test/nodes.ts";
import { newRealm, type TestRealm } from "../../test/realm.ts";
import { channelOf } from "../../test/actions.ts";

interface Sent {
  method?: string;
  type?: string;
  body: string;
}

async function send({ admin, host }: TestRealm, path: string, { method = "POST", type, body }: Sent) {
  const [{ url }] = await nodes();
  const headers = {
    authorization: `Basic ${btoa(`${admin.email}:${admin.apiKey}`)}`,
    "x-forwarded-host": host,
    "content-type": type ?? "application/json",
  };
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, body });
  return (await response.json()) as Record<string, unknown>; // always an object
}

const urlencoded = "application/x-www-form-urlencoded";

test("parameters can be sent as a JSON object", async () => {
  const realm = await newRealm();
  const channel = await channelOf([realm.admin], "court");
  const other = await realm.user("ann");
  const json = (path: string, fields: object, method = "POST") =>
    send(realm, path, { method, body: JSON.stringify(fields) });

  const toChannel = { type: "channel", to: channel.id, topic: "plans", content: "null" };
  expect(await json("/messages", toChannel)).toMatchObject({ result: "success" });
  expect(await json("/messages", { type: "channel", to: "court", topic: "7", content: "x" })).toMatchObject({
    result: "success",
  });
  const direct = { type: "direct", to: [other.id], content: "\ud83d\ude00", read_by_sender: true, extra: { a: 1 } };
  const { id, ...answer } = await json("/messages", direct);
  expect(answer).toEqual({ result: "success", msg: "", ignored_parameters_unsupported: ["extra"] });
  expect(await json(`/messages/${String(id)}`, { content: "changed" }, "PATCH")).toMatchObject({ result: "success" });
  expect(await json(`/messages/${String(id)}`, { method: "PATCH", content: "again" })).toMatchObject({
    result: "success",
  });
  expect(await json("/register", { event_types: ["message"], narrow: [["is", "dm"]] })).toMatchObject({
    result: "success",
  });
});

test.each([
  ["text where a value is asked for", { messages: "[1]", op: "add", flag: "read" }, "messages is not a list"],
  ["a value where text is asked for", { messages: [1], op: 7, flag: "read" }, "op is not a string"],
  ["nothing where text is asked for", { messages: [1], op: null, flag: "read" }, "op is not a string"],
  ["a wrong element", { messages: [1, "x"], op: "add", flag: "read" }, "messages[1] is not an integer"],
  ["a parameter too few", { messages: [1], op: "add" }, "Missing 'flag' argument"],
])("a JSON body with %s is rejected", async (_name, fields, msg) => {
  const realm = await newRealm();

  expect(await send(realm, "/messages/flags", { body: JSON.stringify(fields) })).toMatchObject({
    result: "error",
    msg,
  });
});

test.each([
  ["not JSON", "type=direct", "The request body is not valid JSON"],
  ["not an object", "[1]", "The JSON body must be an object with a field for each parameter"],
  ["too long", `{"to":[${"1,".repeat(200_000)}1]}`, "The JSON body has too many values"],
  ["too deeply nested", `{"to":${"[".repeat(5000)}${"]".repeat(5000)}}`, "The JSON body has too many values"],
  [
    "an object with too many fields",
    JSON.stringify(Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`f${n}`, n]))),
    "Too many parameters (limit: 1000)",
  ],
])("a body that is %s is rejected with the reason", async (_name, body, msg) => {
  const realm = await newRealm();

  expect(await send(realm, "/messages", { body })).toMatchObject({ result: "error", msg, code: "BAD_REQUEST" });
});

test("an empty JSON body has no parameters", async () => {
  const realm = await newRealm();

  expect(await send(realm, "/register", { body: "" })).toMatchObject({ result: "success" });
  expect(await send(realm, "/register", { body: "{}" })).toMatchObject({ result: "success" });
});

test("a request with a repeated parameter is rejected, naming it, and sends nothing", async () => {
  const realm = await newRealm();
  const [ann, bob] = [await realm.user("ann"), await realm.user("bob")];
  const queue = await ann.register(["message"]);
  const body = `type=direct&to=${ann.id}&to=${bob.id}&content=x`;
  const refusal = { result: "error", msg: "Parameter 'to' was given more than once", code: "BAD_REQUEST" };

  expect(await send(realm, "/messages", { type: urlencoded, body })).toEqual(refusal);
  expect(await send(realm, `/messages?to=${ann.id}&to=${bob.id}`, { body: "{}" })).toEqual(refusal);
  const parts = ["type=direct", `to=${ann.id}`, `to=${bob.id}`, "content=x"].map((field) => {
    const [name, value] = field.split("=");
    return `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  });
  const multipart = { type: "multipart/form-data; boundary=b", body: `${parts.join("")}--b--\r\n` };
  expect(await send(realm, "/messages", multipart)).toEqual(refusal);
  expect(await queue.all()).toEqual([]);
});

test("an unknown event type is rejected, naming it", async () => {
  const { admin } = await newRealm();
  const refusal = { result: "error", msg: "Invalid event type: mesage", code: "BAD_REQUEST" };

  expect(await admin.request("POST", "/register", { event_types: '["message","mesage"]' })).toEqual(refusal);
  expect(await admin.request("POST", "/register", { fetch_event_types: '["mesage"]' })).toEqual(refusal);
  expect(await admin.request("GET", "/events", { event_types: '["mesage"]', dont_block: "true" })).toEqual(refusal);
  const olderAndNewer =
    '["message","zulip_version","hotspots","update_display_settings","realm_filters","navigation_view"]';
  expect(await admin.request("POST", "/register", { event_types: olderAndNewer })).toMatchObject({ result: "success" });
});
