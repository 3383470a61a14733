/** compose.yaml and its companions, as `docker compose config` resolves them. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  assertEnoughTimeToStop,
  assertKnownCommand,
  assertKnownSettings,
  readEnvironmentFile,
  runTool,
} from "./check.ts";

/** The parts of the resolved file that are looked at. */
interface Service {
  image: string;
  command: string[] | null;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  ports?: { target: number; published: string; host_ip?: string }[];
  networks?: Record<string, unknown>;
  volumes?: { source: string; target: string }[];
  healthcheck?: { test: string[] };
  restart?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  privileged?: boolean;
  stop_grace_period?: string;
}
interface Project {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, unknown>;
}

export async function checkCompose(root: string, version: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), "skein-compose-"));
  try {
    await cp(join(root, "compose.yaml"), join(scratch, "compose.yaml"));
    await mkdir(join(scratch, "deploy"));
    for (const folder of ["compose", "engines"])
      await cp(join(root, "deploy", folder), join(scratch, "deploy", folder), { recursive: true });
    const resolve = async (...files: string[]): Promise<Project> => {
      const args = files.flatMap((file) => ["--file", file]);
      const env = { PATH: process.env["PATH"], HOME: scratch };
      const text = await runTool("docker-compose", [...args, "--profile", "*", "config", "--format", "json"], {
        cwd: scratch,
        env,
      });
      return JSON.parse(text) as Project;
    };
    const withoutSecrets = resolve("compose.yaml");
    await assert.rejects(withoutSecrets, /make-env/, "without passwords, it tells what to do");
    const makeEnv = (name: string) => execFileSync("deploy/compose/make-env", [name], { cwd: scratch, stdio: "pipe" });
    assert.throws(() => makeEnv("https://chat.example.com"), /the name alone/, "a URL is not a name");
    makeEnv("chat.example.com");
    const settings = readEnvironmentFile(await readFile(join(scratch, "skein.env"), "utf8"));
    // What is commented out has to be right, too.
    const examples = (await readFile(join(scratch, "skein.env"), "utf8")).replaceAll(/^#(?=SKEIN_)/gm, "");
    assertKnownSettings("skein.env", readEnvironmentFile(examples));
    assert.ok((settings["SKEIN_SECRET"] ?? "").length >= 32, "skein.env has a secret");

    await checkServer(await resolve("compose.yaml"), version, ["skein"]);
    const byRole = await resolve("compose.yaml", "deploy/compose/roles.yaml");
    await checkServer(byRole, version, ["skein", "relay", "worker"]);
    const roles = ["skein", "relay", "worker"].map((name) => byRole.services[name]?.environment?.["SKEIN_ROLES"]);
    assert.deepEqual(roles, ["api", "relay", "worker"], "each role once");

    const engines = await resolve("deploy/compose/engines.yaml");
    assert.deepEqual(Object.keys(engines.services).toSorted(), ["nats", "postgres"]);
    for (const [name, { ports = [] }] of Object.entries(engines.services))
      for (const port of ports)
        assert.equal(port.host_ip, "127.0.0.1", `engines.yaml: ${name} listens on this machine only`);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

async function checkServer(project: Project, version: string, processes: string[]): Promise<void> {
  const { services } = project;
  const service = (name: string): Service => services[name] ?? assert.fail(`compose.yaml has no service ${name}`);

  for (const [name, each] of Object.entries(services)) {
    const where = `compose.yaml: ${name}`;
    assertKnownSettings(where, each.environment ?? {});
    assert.ok(each.restart, `${where} has a restart policy`);
    if (name !== "migrate") assert.ok(each.healthcheck, `${where} has a health check`);
    assert.ok(each.security_opt?.includes("no-new-privileges:true"), `${where} gains no privileges`);
    assert.ok(!each.privileged, `${where} is not privileged`);
  }
  for (const name of [...processes, "migrate"]) {
    const each = service(name);
    const where = `compose.yaml: ${name}`;
    await assertKnownCommand(where, each.command ?? []);
    assert.equal(each.image, `skein:${version}`, `${where} runs this release`);
    assert.equal(each.read_only, true, `${where} has a read-only root`);
    assert.deepEqual(each.cap_drop, ["ALL"], `${where} has no capabilities`);
    assert.equal(each.environment?.["POSTGRES_PASSWORD"], undefined, `${where} does not know the superuser's password`);
    const url = new URL(each.environment?.["SKEIN_DATABASE_URL"] ?? "");
    assert.equal(url.password, service("postgres").environment?.["DATABASE_PASSWORD"], `${where} can sign in`);
  }
  for (const name of processes) {
    const each = service(name);
    const where = `compose.yaml: ${name}`;
    assert.equal(
      each.depends_on?.["migrate"]?.condition,
      "service_completed_successfully",
      `${where} waits for tables`,
    );
    assertEnoughTimeToStop(where, Number.parseInt(each.stop_grace_period ?? "10s", 10), each.environment ?? {});
    assert.deepEqual(each.command, ["serve"]);
  }
  assert.deepEqual(service("migrate").command, ["migrate", "--expand"], "a release can be taken back");
  const files = service("skein").volumes?.map(({ source, target }) => `${source}:${target}`);
  assert.deepEqual(files, ["files:/var/lib/skein"], "uploaded files are in a volume");

  assert.equal(project.networks["engines"]?.internal, true, "the engines' network leads nowhere");
  for (const name of ["postgres", "nats"])
    assert.deepEqual(Object.keys(service(name).networks ?? {}), ["engines"], `${name} is on the engines' network only`);
  const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
    ports.map((port) => `${name} ${port.host_ip ?? "*"}:${port.published}`),
  );
  const expected = ["proxy *:443", "proxy *:443", "proxy *:80", "skein 127.0.0.1:9991"];
  assert.deepEqual(published.toSorted(), expected, "nothing but the proxy is published");
}
