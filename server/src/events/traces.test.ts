import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startNode } from "../../test/nodes.ts";
import { startOwnServer } from "../../test/own-server.ts";
import { newRealm } from "../../test/realm.ts";

interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  node: string;
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<ReceivedSpan, "node">[] }[];
  }[];
}

/** Stands in for an OpenTelemetry collector. */
async function startCollector(): Promise<{ url: string; spans: ReceivedSpan[] }> {
  const spans: ReceivedSpan[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString()) as Export; // OTLP as JSON
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const node = resource.attributes.find(({ key }) => key === "service.instance.id")?.value.stringValue ?? "";
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, node })));
    }
    response.setHeader("content-type", "application/json").end("{}");
  };
  const server = createServer((request, response) => void receive(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, spans };
}

test("one trace leads from a request on one node through commit, relay and log to the delivery on both nodes", async () => {
  const collector = await startCollector();
  const traced = { SKEIN_TRACES_ENDPOINT: collector.url, SKEIN_TRACES_RATIO: "1" };
  const first = await startOwnServer({ ...traced, SKEIN_NODE_NAME: "first" });
  const { databaseUrl, logName } = first.ctx.config;
  const second = await startNode({
    environment: {
      ...traced,
      SKEIN_DATABASE_URL: databaseUrl,
      SKEIN_LOG_NAME: logName,
      SKEIN_ROLES: "api",
      SKEIN_NODE_NAME: "second",
    },
  });
  const realm = await newRealm([first, second]);
  const queue = await realm.admin.register(["message"]);
  const [traceId, caller] = ["4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"];
  const body = new URLSearchParams({ type: "direct", to: `[${realm.admin.id}]`, content: "traced" });
  const authorization = `Basic ${Buffer.from(`${realm.admin.email}:${realm.admin.apiKey}`).toString("base64")}`;

  const sent = await fetch(`${first.url}/api/v1/messages`, {
    method: "POST",
    headers: { authorization, "x-forwarded-host": realm.host, traceparent: `00-${traceId}-${caller}-01` },
    body,
  });

  expect(sent.status).toBe(200);
  const event = await queue.nextOf("message");
  expect(event.message.content).toContain("traced");
  expect(JSON.stringify(event)).not.toContain(traceId);
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);
  await expect.poll(() => ofTrace().length).toBe(5);
  const span = (name: string, node: string) => ofTrace().find((each) => each.name === name && each.node === node);
  const [request, commit, relay] = [span("send-message", "first"), span("commit", "first"), span("relay", "first")];
  expect(request?.parentSpanId).toBe(caller);
  expect(commit?.parentSpanId).toBe(request?.spanId);
  expect(relay?.parentSpanId).toBe(commit?.spanId);
  for (const node of ["first", "second"]) expect(span("deliver", node)?.parentSpanId).toBe(relay?.spanId);
});

test("without an endpoint nothing is traced, and OpenTelemetry is imported by one file, which is loaded on demand", async () => {
  const server = await startOwnServer();

  expect(server.ctx.tracing).toBeUndefined();
  const opener = await readFile(join(import.meta.dirname, "../platform/tracing.ts"), "utf8");
  expect(opener).toContain('await import("./tracing-otel.ts")');
  expect(opener).not.toContain("@opentelemetry");
});
