/** Breaks the files in many ways, one at a time, in a copy: the check that is named has to fail. */
import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

type Check = (root: string, version: string) => Promise<void>;

interface Break {
  check: "compose" | "kustomize" | "chart" | "quadlet";
  file: string;
  replace: [from: string, to: string];
  /** What the failure says. */
  message: RegExp;
}

const base = "deploy/kubernetes/base";
const templates = "deploy/helm/skein/templates";

const breaks: Break[] = [
  {
    check: "compose",
    file: "compose.yaml",
    replace: ["    healthcheck:", "    healthchek:"],
    message: /Additional property healthchek/,
  },
  { check: "compose", file: "compose.yaml", replace: ["SKEIN_NATS_URL", "SKEIN_NATS_URLS"], message: /not a setting/ },
  { check: "compose", file: "compose.yaml", replace: ['PORT: "9992"', 'PORT: "http"'], message: /must be/ },
  { check: "compose", file: "compose.yaml", replace: ["period: 45s", "period: 30s"], message: /s to stop/ },
  {
    check: "compose",
    file: "compose.yaml",
    replace: [
      "      - postgres:/var/lib/postgresql/data\n",
      '      - postgres:/var/lib/postgresql/data\n    ports: ["5432:5432"]\n',
    ],
    message: /nothing but the proxy/,
  },
  { check: "compose", file: "compose.yaml", replace: ["IMAGE:-skein:", "IMAGE:-other:"], message: /runs this release/ },
  { check: "compose", file: "compose.yaml", replace: ["env_file: skein.env", "env_file: .env"], message: /superuser/ },
  {
    check: "compose",
    file: "deploy/compose/make-env",
    replace: ["#SKEIN_SMTP_URL", "#SKEIN_SMTP"],
    message: /not a setting/,
  },
  {
    check: "compose",
    file: "deploy/compose/roles.yaml",
    replace: ["SKEIN_ROLES: relay", "SKEIN_ROLES: worker"],
    message: /each role once/,
  },
  {
    check: "kustomize",
    file: "deploy/kubernetes/migrate/expand/job.yaml",
    replace: ["--expand", "--expanding"],
    message: /no option/,
  },
  {
    check: "kustomize",
    file: `${base}/api.yaml`,
    replace: ["readOnlyRootFilesystem", "readOnlyRootFileSystem"],
    message: /does not know/,
  },
  {
    check: "kustomize",
    file: `${base}/api.yaml`,
    replace: ["containerPort: 9991", 'containerPort: "9991"'],
    message: /containerPort/,
  },
  {
    check: "kustomize",
    file: `${base}/worker.yaml`,
    replace: ["runAsNonRoot: true", "runAsNonRoot: false"],
    message: /root/,
  },
  {
    check: "kustomize",
    file: `${base}/relay.yaml`,
    replace: ["enableServiceLinks: false", "enableServiceLinks: true"],
    message: /SKEIN_PORT/,
  },
  { check: "kustomize", file: `${base}/relay.yaml`, replace: ["Seconds: 60", "Seconds: 40"], message: /s to stop/ },
  { check: "kustomize", file: `${base}/relay.yaml`, replace: ["policy/v1", "policy/v1beta1"], message: /is unknown/ },
  {
    check: "kustomize",
    file: `${base}/worker.yaml`,
    replace: ["value: worker", "value: relay"],
    message: /has the role/,
  },
  {
    check: "kustomize",
    file: `${base}/service.yaml`,
    replace: ["targetPort: http", "targetPort: web"],
    message: /leads to a port/,
  },
  {
    check: "kustomize",
    file: `${base}/kustomization.yaml`,
    replace: ["SKEIN_TRUST_PROXY=1", "SKEIN_TRUST_PROXY=yes"],
    message: /SKEIN_TRUST_PROXY/,
  },
  {
    check: "kustomize",
    file: `${base}/kustomization.yaml`,
    replace: ["  - relay.yaml", "  - relays.yaml"],
    message: /relays\.yaml/,
  },
  {
    check: "kustomize",
    file: "deploy/kubernetes/components/service-monitor/service-monitor.yaml",
    replace: ["podTargetLabels", "podTargetLabel"],
    message: /does not know/,
  },
  { check: "chart", file: `${base}/api.yaml`, replace: ["memory: 384Mi", "memory: 385Mi"], message: /say the same/ },
  {
    check: "chart",
    file: `${templates}/deployments.yaml`,
    replace: ["nindent 12", "indent 12"],
    message: /Unexpected/,
  },
  {
    check: "chart",
    file: `${templates}/deployments.yaml`,
    replace: ["skein.fullname", "skein.fullName"],
    message: /fullName/,
  },
  {
    check: "chart",
    file: `${templates}/network-policy.yaml`,
    replace: ["port: http", "port: web"],
    message: /say the same/,
  },
  {
    check: "chart",
    file: `${templates}/ingress.yaml`,
    replace: ["ingressClassName", "ingressClass"],
    message: /does not know/,
  },
  {
    check: "chart",
    file: `${templates}/_helpers.tpl`,
    replace: ["SKEIN_NATS_URL", "SKEIN_NATS"],
    message: /not a setting/,
  },
  {
    check: "chart",
    file: "deploy/helm/skein/values.yaml",
    replace: ["  waitingPolls: 4000", "  waitingReads: 4000"],
    message: /schema/,
  },
  {
    check: "chart",
    file: "deploy/helm/skein/Chart.yaml",
    replace: ["appVersion: ", "appVersion: 9."],
    message: /this version/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/skein-migrate.container",
    replace: ["Exec=migrate", "Exec=migrations"],
    message: /no command/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/skein.container",
    replace: ["PublishPort", "PublishedPort"],
    message: /PublishedPort/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/skein.container",
    replace: ["SKEIN_HEALTH_PORT", "SKEIN_HEALTH"],
    message: /not a setting/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/skein.container",
    replace: ["StopTimeout=45", "StopTimeout=30"],
    message: /s to stop/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/skein.container",
    replace: ["127.0.0.1:9991:9991", "9991:9991"],
    message: /on this machine/,
  },
  {
    check: "quadlet",
    file: "deploy/quadlet/install",
    replace: ["@skein-postgres", "@postgres"],
    message: /container postgres/,
  },
];

export async function breakEverything(
  root: string,
  version: string,
  checks: Record<Break["check"], Check>,
): Promise<void> {
  for (const { check, file, replace, message } of breaks) {
    const scratch = await mkdtemp(join(tmpdir(), "skein-broken-"));
    try {
      await cp(join(root, "compose.yaml"), join(scratch, "compose.yaml"));
      await cp(join(root, "deploy"), join(scratch, "deploy"), { recursive: true });
      const text = await readFile(join(scratch, file), "utf8");
      assert.ok(text.includes(replace[0]), `${file} has ${replace[0]}`);
      await writeFile(
        join(scratch, file),
        text.replace(replace[0], () => replace[1]),
      );
      const what = `${file} with ${replace[1].trim()}`;
      const failure = await checks[check](scratch, version).then(
        () => assert.fail(`${what} was not noticed`),
        (error: Error & { stderr?: string }) => `${error.message}\n${error.stderr ?? ""}`,
      );
      assert.match(failure, message, what);
      console.log(`${what}: noticed`);
    } finally {
      await rm(scratch, { recursive: true });
    }
  }
}
