/** Unpacks the tarball, starts it on engines of its own, and uses it. */
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Skein, assertStartsQuickly, plainEnvironment, run, startServer, withEngines } from "./commands.ts";
import { freePort } from "../../server/src/platform/engines/free-port.ts";
import { deploymentFolder } from "../deployment.ts";
import { testDeploymentFiles } from "./deployment.ts";
import { useServer } from "./use-server.ts";

export async function testTarball(out: string, name: string, scratch: string, commit: string): Promise<void> {
  await run(["tar", "--extract", "--file", join(out, `${name}.tar.gz`), "--directory", scratch]);
  const folder = join(scratch, name);
  const program = join(folder, "bin/skein");
  await run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], { cwd: folder });
  assert.equal(await run(["find", folder, "-name", "*.ts"]), "", "no TypeScript");
  await testDeploymentFiles(join(folder, deploymentFolder));
  assert.ok((await run([program, "--version"])).includes(`commit ${commit}`), "--version names the commit");

  const skeinWith = (env: NodeJS.ProcessEnv): Skein => {
    return (...args) => run([program, ...args], { env: { ...plainEnvironment, ...env } });
  };
  await withEngines(skeinWith({}), join(scratch, "engines"), async (engines) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      ...engines,
      SKEIN_PORT: String(port),
      SKEIN_EXTERNAL_URL: url,
      SKEIN_FILES_DIR: join(scratch, "files"),
      SKEIN_SECRET: "0123456789abcdef".repeat(4),
      SKEIN_DRAIN_DELAY_SECONDS: "0",
    };
    await mkdir(settings.SKEIN_FILES_DIR);
    const skein = skeinWith(settings);
    await skein("migrate");
    const start = () => startServer([program, "serve"], { ...plainEnvironment, ...settings }, url);

    const times: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const server = await start();
      times.push(server.milliseconds);
      if (attempt === 2) await useServer(url, skein, join(folder, "lib"));
      await server.stop();
    }
    await assertStartsQuickly("tarball", times, join(folder, "runtime/node"));
  });
}
