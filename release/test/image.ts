/** Loads the image into a container tool's store, and runs it as its user on a read-only root. Needs buildah. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Skein, type Words, plainEnvironment, run, startServer, withEngines } from "./commands.ts";
import { freePort } from "../../server/src/platform/engines/free-port.ts";
import { inRoot } from "./fresh-root.ts";
import { useServer } from "./use-server.ts";

interface Config {
  User: string;
  Env: string[];
  Entrypoint: Words;
  Cmd: string[];
  Healthcheck: { Test: ["CMD", ...Words] };
}

export async function testImage(out: string, name: string, scratch: string, hostSkein: Skein): Promise<void> {
  const stores = ["--storage-driver=vfs", `--root=${join(scratch, "store")}`, `--runroot=${join(scratch, "run")}`];
  const buildah = (...args: string[]) => run(["buildah", ...stores, ...args]);
  const container = (await buildah("from", `oci-archive:${join(out, `${name}.oci.tar`)}`)).trim();
  const root = (await buildah("mount", container)).trim();
  const config = await configOf(join(out, `${name}.oci.tar`));
  assert.equal(config.User, "10001:10001");

  await withEngines(hostSkein, join(scratch, "engines"), async (engines) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const env = {
      ...plainEnvironment,
      ...Object.fromEntries(config.Env.map((line) => line.split("=", 2) as [string, string])),
      ...engines,
      SKEIN_PORT: String(port),
      SKEIN_EXTERNAL_URL: url,
      SKEIN_SECRET: "0123456789abcdef".repeat(4),
      SKEIN_DRAIN_DELAY_SECONDS: "0",
    };
    const inside = (words: Words) => inRoot(root, words, { user: config.User, isReadOnly: true });
    const skein: Skein = (...args) => run(inside([...config.Entrypoint, ...args]), { env });
    await skein("migrate");
    const server = await startServer(inside([...config.Entrypoint, ...config.Cmd]), env, url);
    console.log(`image: starts in ${server.milliseconds} ms`);
    const [, ...check] = config.Healthcheck.Test;
    assert.match(await run(inside(check), { env }), /^ok/, "its health check succeeds");
    await useServer(url, skein, join(root, "usr/lib/skein/lib"));
    await server.stop();
    await assert.rejects(run(inside(check), { env }), /No server process responds/, "its health check fails");
  });
}

/** Read from the archive, because buildah hides what the specification does not mention. */
async function configOf(archive: string): Promise<Config> {
  const read = async (path: string): Promise<unknown> =>
    JSON.parse(await run(["tar", "--extract", "--to-stdout", "--file", archive, path]));
  const blob = (digest: string) => read(`./blobs/${digest.replace(":", "/")}`);
  const index = (await read("./index.json")) as { manifests: [{ digest: string }] }; // the formats of release/oci.ts
  const manifest = (await blob(index.manifests[0].digest)) as { config: { digest: string } };
  return ((await blob(manifest.config.digest)) as { config: Config }).config;
}
