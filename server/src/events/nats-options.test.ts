import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { findNats } from "../platform/engines/binaries.ts";
import { freePort } from "../platform/engines/free-port.ts";
import { atEndOfFile } from "../../test/end-of-file.ts";
import { natsOptions } from "./nats-options.ts";

const folder = mkdtempSync(join(tmpdir(), "skein-nats-options-"));
atEndOfFile(() => rmSync(folder, { recursive: true }));

/** Returns the port of a NATS server with this configuration. */
async function startNats(settings: string): Promise<number> {
  const port = await freePort();
  const file = join(folder, `${port}.conf`);
  writeFileSync(file, `listen: "127.0.0.1:${port}"\n${settings}\n`);
  const server = spawn(await findNats(), ["--config", file], { stdio: ["ignore", "ignore", "pipe"] });
  atEndOfFile(() => server.kill());
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      log += text;
      if (log.includes("Server is ready")) resolve();
    });
    server.once("exit", () => reject(new Error(log)));
  });
  return port;
}

/** "connected", or the reason why not. */
async function outcome(environment: Record<string, string>): Promise<string> {
  try {
    const nats = await connect({ ...natsOptions(readConfig(environment)), reconnect: false, timeout: 5000 });
    await nats.close();
    return "connected";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

test("a user and password in the URL are used, also percent-encoded", async () => {
  const port = await startNats('authorization: { user: "skein", password: "p@ss/word" }');
  const url = (userInfo: string) => ({ SKEIN_NATS_URL: `nats://${userInfo}127.0.0.1:${port}` });

  expect(await outcome(url("skein:p%40ss%2Fword@"))).toBe("connected");
  expect(await outcome(url("skein:wrong@"))).toMatch(/authorization/i);
  expect(await outcome(url(""))).toMatch(/authorization/i);
});

test("a token in the URL is used, and a server without credentials needs no scheme", async () => {
  const withToken = await startNats('authorization: { token: "a-token" }');
  const open = await startNats("");

  expect(await outcome({ SKEIN_NATS_URL: `nats://a-token@127.0.0.1:${withToken}` })).toBe("connected");
  expect(await outcome({ SKEIN_NATS_URL: `127.0.0.1:${open}` })).toBe("connected");
});

test("a server with a certificate of one's own authority is reached with its file, and never without TLS", async () => {
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const names = ["-subj", "/CN=nats", "-addext", "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...made, ...names], { stdio: "ignore" });
  const port = await startNats(`tls: { cert_file: "${certificate}", key_file: "${key}" }`);
  const plain = await startNats("");
  const secured = { SKEIN_NATS_URL: `tls://localhost:${port}`, SKEIN_NATS_CA_FILE: certificate };

  expect(await outcome(secured)).toBe("connected");
  expect(await outcome({ ...secured, SKEIN_NATS_CA_FILE: "" })).toMatch(/certificate/i);
  expect(await outcome({ ...secured, SKEIN_NATS_URL: `tls://localhost:${plain}` })).not.toBe("connected");
});
