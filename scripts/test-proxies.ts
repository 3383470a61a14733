/**
 * `npm run test:proxies`: starts nginx, HAProxy and Caddy with the configurations of docs/operating/reverse-proxies.md in
 * front of two nodes, and checks what that page says. Takes about three minutes, because streams have to outlive the
 * proxies' timeouts.
 */
import assert from "node:assert/strict";
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { freePort } from "../server/src/platform/engines/free-port.ts";
import { ProxyClient, type ReceivedText } from "./proxy-client.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const skeinProgram = join(root, "server/src/cli/main.ts");
/** Longer than a waiting request takes, shorter than the proxies' limits. */
const heartbeatSeconds = 48;
/** Longer than the timeouts of the page's configurations: only the heartbeats keep a stream open. */
const quietSeconds = 125;
/** A proxy that holds back a stream does so for longer. */
const longestDelivery = 2000;
const uploadBytes = 30 * 1024 ** 2;

interface Proxy {
  name: string;
  url: string;
}

const scratch = await mkdtemp(join(tmpdir(), "skein-proxies-"));
await chmod(scratch, 0o755); // PostgreSQL runs as another user
const children: ChildProcess[] = [];
const env: NodeJS.ProcessEnv = { ...process.env, SKEIN_TRUST_PROXY: "1", SKEIN_DRAIN_DELAY_SECONDS: "0" };
const skein = async (...args: string[]) => (await run(process.execPath, [skeinProgram, ...args], { env })).stdout;
try {
  await test();
} finally {
  for (const child of children) child.kill("SIGKILL");
  await skein("services", "stop", "--dir", scratch);
  await rm(scratch, { recursive: true, force: true });
}

async function test(): Promise<void> {
  const engines = JSON.parse(await skein("services", "start", "--dir", scratch, "--json")) as Record<string, string>;
  Object.assign(env, {
    SKEIN_DATABASE_URL: engines["postgresUrl"],
    SKEIN_NATS_URL: engines["natsUrl"],
    SKEIN_FILES_DIR: join(scratch, "files"),
    SKEIN_SECRET: "a secret of this test, long enough to be one",
    SKEIN_HEARTBEAT_SECONDS: String(heartbeatSeconds),
    SKEIN_REQUESTS_PER_MINUTE: "5000",
    SKEIN_ADDRESS_REQUESTS_PER_MINUTE: "20",
  });
  await skein("migrate");
  await skein("realm", "create", "harbor", "--name", "Harbor");
  await skein("user", "create", "owner@example.com", "--name", "Olive Owner", "--role", "owner");
  const key = (await skein("user", "api-key", "owner@example.com")).trim();
  const nodes = [await startNode(), await startNode()] as const;
  const certificate = await makeCertificate();
  const proxies = [
    await startNginx(nodes, certificate),
    await startHaproxy(nodes, certificate),
    await startCaddy(nodes, certificate),
  ];
  const client = new ProxyClient(`owner@example.com:${key}`, await readFile(certificate.file));

  for (const { name, url } of proxies) await client.untilReached(name, url);
  for (const proxy of proxies) await testRequests(client, proxy);
  await Promise.all(
    proxies.flatMap((proxy) => [
      testWaiting(client, proxy),
      testStream(client, proxy, "server-sent events", (path) => client.openStream(proxy.url + path("stream"))),
      testStream(client, proxy, "WebSocket", (path) => client.openSocket(proxy.url + path("socket"))),
    ]),
  );
  for (const proxy of proxies) await testSpoofing(client, proxy);
  await kill(nodes[0].child);
  for (const proxy of proxies) await testLostNode(client, proxy);
}

/** Returns when its connections are gone: a request that a dying node has received is not repeated. */
async function kill(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}

async function testRequests(client: ProxyClient, { name, url }: Proxy): Promise<void> {
  const settings = await client.call("GET", `${url}/api/v1/server_settings`);
  assert.equal(settings.body["realm_url"], url, `${name}: the server knows the scheme and host of the client`);
  await client.send(url, "Hello through the proxy");
  const metrics = await client.call("GET", `${url}/metrics`);
  assert.ok([403, 404].includes(metrics.status), `${name}: /metrics is ${metrics.status}`);
  const form = new FormData();
  form.append("file", new Blob([Buffer.alloc(uploadBytes, "x")]), "large.bin");
  const upload = await client.call("POST", `${url}/api/v1/user_uploads`, new Response(form));
  assert.equal(upload.status, 200, `${name}: an upload of 30 MiB: ${JSON.stringify(upload.body)}`);
  console.log(`${name}: requests, a large upload and blocked metrics`);
}

async function testWaiting(client: ProxyClient, { name, url }: Proxy): Promise<void> {
  const { body } = await client.call("POST", `${url}/api/v1/register`, new URLSearchParams({ event_types: "[]" }));
  const start = performance.now();
  const query = new URLSearchParams({ queue_id: String(body["queue_id"]), last_event_id: "-1" });
  const answer = await client.call("GET", `${url}/api/v1/events?${query}`);
  const seconds = (performance.now() - start) / 1000;
  assert.equal(answer.status, 200, `${name}: a waiting request: ${JSON.stringify(answer.body)}`);
  assert.ok(seconds >= heartbeatSeconds, `${name}: the request ended after ${seconds} s`);
  console.log(`${name}: a request waited for ${seconds.toFixed(0)} s`);
}

/** Events are passed on at once, and the stream stays open for longer than the proxy waits for anything else. */
async function testStream(
  client: ProxyClient,
  { name, url }: Proxy,
  kind: string,
  open: (path: (end: string) => string) => Promise<ReceivedText>,
): Promise<void> {
  const form = new URLSearchParams({ event_types: '["message"]' });
  const { body } = await client.call("POST", `${url}/api/v1/register`, form);
  const query = new URLSearchParams({
    queue_id: String(body["queue_id"]),
    last_event_id: String(body["last_event_id"]),
  });
  const stream = await open((end) => `/api/v1/events/${end}?${query}`);
  const arrives = async (content: string): Promise<void> => {
    const start = performance.now();
    await client.send(url, content);
    await stream.until(content, longestDelivery);
    console.log(`${name}: an event by ${kind} after ${(performance.now() - start).toFixed(0)} ms`);
  };
  // Every queue gets these messages of all proxies.
  const place = `${kind} at port ${new URL(url).port}`;
  await arrives(`At once by ${place}`);
  await delay(quietSeconds * 1000);
  assert.ok(!stream.hasEnded, `${name}: ${kind} ended while nothing happened`);
  await arrives(`After ${quietSeconds} s by ${place}`);
  stream.close();
}

async function testSpoofing(client: ProxyClient, { name, url }: Proxy): Promise<void> {
  const statuses: number[] = [];
  for (let count = 0; count < 60; count++) {
    const headers = { "x-forwarded-for": `203.0.113.${count}` };
    const anonymous = client.call("POST", `${url}/api/v1/fetch_api_key`, new URLSearchParams(), headers, false);
    statuses.push((await anonymous).status);
  }
  assert.ok(statuses.includes(429), `${name}: a client cannot choose its address`);
  await client.send(url, "An account is not affected");
  console.log(`${name}: clients cannot choose their address`);
}

async function testLostNode(client: ProxyClient, { name, url }: Proxy): Promise<void> {
  const sent = Array.from({ length: 50 }, (_, index) => `${name} ${index}`);
  for (const content of sent) await client.send(url, content);
  const narrow = JSON.stringify([{ operator: "search", operand: `"${name}"` }]);
  const query = new URLSearchParams({
    anchor: "newest",
    num_before: "200",
    num_after: "0",
    narrow,
    apply_markdown: "false",
  });
  const { body } = await client.call("GET", `${url}/api/v1/messages?${query}`);
  const stored = (body["messages"] as { content: string }[]).map(({ content }) => content); // as documented
  assert.deepEqual(stored, sent, `${name}: every message is stored once, in order`);
  console.log(`${name}: nobody notices a lost node, and nothing is sent twice`);
}

interface Node {
  child: ChildProcess;
  address: string;
}

async function startNode(): Promise<Node> {
  const port = await freePort();
  const child = startProgram(process.execPath, [skeinProgram, "serve"], { ...env, SKEIN_PORT: String(port) });
  return { child, address: `127.0.0.1:${port}` };
}

function startProgram(program: string, args: string[], environment: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(program, args, { env: environment, stdio: ["ignore", "ignore", "inherit"] });
  child.once("error", (error) => console.error(`${error.message}: apt install nginx-light haproxy caddy`));
  children.push(child);
  return child;
}

interface Certificate {
  file: string;
  key: string;
}

async function makeCertificate(): Promise<Certificate> {
  const [file, key] = [join(scratch, "certificate.pem"), join(scratch, "key.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", file];
  await run("openssl", [...made, ...names]);
  return { file, key };
}

/** The configuration as the page shows it, with other addresses. Every replacement has to apply. */
async function configuration(language: string, nodes: readonly Node[], changes: [string, string][]): Promise<string> {
  const page = await readFile(join(root, "docs/operating/reverse-proxies.md"), "utf8");
  const [, shown] = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(page) ?? [];
  assert.ok(shown !== undefined, `the page has a configuration for ${language}`);
  const addresses = nodes.map(({ address }, index): [string, string] => [`10.0.0.1${index + 1}:9991`, address]);
  let text = shown;
  for (const [old, replacement] of [...addresses, ...changes]) {
    assert.ok(text.includes(old), `the configuration of ${language} contains ${old}`);
    text = text.replace(old, replacement);
  }
  return text;
}

async function startNginx(nodes: readonly Node[], { file, key }: Certificate): Promise<Proxy> {
  const port = await freePort();
  const text = await configuration("nginx", nodes, [
    ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
    ["# ssl_certificate …; ssl_certificate_key …;", `ssl_certificate ${file}; ssl_certificate_key ${key};`],
    ["chat.example.com", "localhost"],
    ["/var/log/nginx/skein.log", join(scratch, "nginx.log")],
    ["http {", `http {\n  client_body_temp_path ${join(scratch, "nginx-bodies")};`],
  ]);
  const config = join(scratch, "nginx.conf");
  await writeFile(config, `pid ${join(scratch, "nginx.pid")};\nevents {}\n${text}`);
  startProgram("/usr/sbin/nginx", [
    "-c",
    config,
    "-g",
    "daemon off; master_process off;",
    "-e",
    join(scratch, "nginx-errors.log"),
  ]);
  return { name: "nginx", url: `https://localhost:${port}` };
}

async function startHaproxy(nodes: readonly Node[], { file, key }: Certificate): Promise<Proxy> {
  const port = await freePort();
  const both = join(scratch, "haproxy.pem");
  await writeFile(both, `${await readFile(file, "utf8")}${await readFile(key, "utf8")}`);
  const text = await configuration("haproxy", nodes, [
    ["bind :443 ssl crt /etc/haproxy/chat.example.com.pem", `bind 127.0.0.1:${port} ssl crt ${both}`],
  ]);
  const config = join(scratch, "haproxy.cfg");
  await writeFile(config, text);
  startProgram("/usr/sbin/haproxy", ["-db", "-f", config]);
  return { name: "HAProxy", url: `https://localhost:${port}` };
}

async function startCaddy(nodes: readonly Node[], { file, key }: Certificate): Promise<Proxy> {
  const port = await freePort();
  const text = await configuration("caddyfile", nodes, [
    ["chat.example.com {", `https://localhost:${port} {\n  tls ${file} ${key}`],
  ]);
  const config = join(scratch, "Caddyfile");
  await writeFile(
    config,
    `{\n  admin off\n  auto_https disable_redirects\n  servers {\n    protocols h1 h2\n  }\n}\n${text}`,
  );
  startProgram("/usr/bin/caddy", ["run", "--adapter", "caddyfile", "--config", config], {
    ...process.env,
    HOME: scratch,
  });
  return { name: "Caddy", url: `https://localhost:${port}` };
}
