/**
 * Builds a release and tries each of its packages as an operator would, outside of the repository. scripts/test-release
 * installs what this needs, and runs it.
 */
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findSource, root } from "../sources.ts";
import { together } from "../together.ts";
import { plainEnvironment, run, type Skein } from "./commands.ts";
import { prepareDebian, testDebianPackage } from "./debian.ts";
import { testGuide } from "./guide.ts";
import { testImage } from "./image.ts";
import { makeNextVersion } from "./next-version.ts";
import { testReproducible } from "./reproducible.ts";
import { testTarball } from "./tarball.ts";

const { values } = parseArgs({
  options: {
    // No second build.
    short: { type: "boolean", default: false },
    // A finished build to test.
    out: { type: "string" },
    // An archive of a Debian root, instead of a new one.
    root: { type: "string" },
  },
});

const { version, commit } = findSource();
const name = `skein-${version}-${process.platform}-${process.arch}`;
const scratch = await mkdtemp(join(tmpdir(), "skein-release-test-"));
const folder = async (what: string): Promise<string> => {
  await mkdir(join(scratch, what), { mode: 0o755 });
  return join(scratch, what);
};

try {
  await run(["chmod", "755", scratch]); // PostgreSQL runs as another user
  const out = values.out === undefined ? join(scratch, "out") : resolve(values.out);
  const debian = join(scratch, "debian");
  // The one needs the network above all, the other the processor.
  await together([
    step("fresh Debian", () => prepareDebian(debian, values.root)),
    ...(values.out === undefined ? [step("build", () => build(out))] : []),
  ]);
  const unpacked = await folder("tarball");
  await step("tarball", () => testTarball(out, name, unpacked, commit));
  const hostSkein: Skein = (...args) => run([join(unpacked, name, "bin/skein"), ...args], { env: plainEnvironment });
  const deb = join(out, (await readdir(out)).find((file) => file.endsWith(".deb")) ?? "");
  const next = await makeNextVersion(deb, await folder("next"));
  const booted = await folder("booted");
  await run(["cp", "--archive", "--reflink=auto", `${debian}/.`, booted]);
  await step("install guide", () => testGuide(deb, next, booted));
  await step("Debian package", () => testDebianPackage(deb, next, debian, commit));
  const image = await folder("image");
  await step("image", () => testImage(out, name, image, hostSkein));
  if (!values.short) {
    const second = await folder("second");
    await step("second build", () => testReproducible(out, second));
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}

async function build(out: string): Promise<void> {
  await run([process.execPath, "release/main.ts", "--out", out], { cwd: root, env: process.env });
}

async function step(what: string, test: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await test();
  console.log(`${what}: passed in ${((performance.now() - start) / 1000).toFixed(0)} s`);
}
