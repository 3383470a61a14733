/** The Helm chart: its values, what it renders, and that this is what the Kustomize base has. */
import assert from "node:assert/strict";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv } from "ajv";
import { parse, stringify } from "yaml";
import { runTool } from "./check.ts";
import { build } from "./kustomize.ts";
import { readObjects, validate, type KubernetesObject } from "./objects.ts";
import { checkRules } from "./rules.ts";

export async function checkChart(root: string, version: string): Promise<void> {
  const chart = join(root, "deploy/helm/skein");
  const about = parse(await readFile(join(chart, "Chart.yaml"), "utf8")) as Record<string, string>;
  assert.deepEqual([about["version"], about["appVersion"]], [version, version], "Chart.yaml has this version");
  const isValid = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(
    JSON.parse(await readFile(join(chart, "values.schema.json"), "utf8")) as object,
  );
  /** As Helm: checks the values, default ones included, before it renders. */
  const render = async (files: string[]) => {
    const { files: texts, values } = JSON.parse(await runTool("render", [chart, "skein", "chat", ...files])) as {
      files: Record<string, string>;
      values: unknown;
    };
    if (!isValid(values)) assert.fail(`values do not fit the schema: ${JSON.stringify(isValid.errors)}`);
    const { "NOTES.txt": notes, ...manifests } = texts;
    assert.ok(notes?.includes("kubectl"), "notes are shown after the installation");
    const objects = Object.values(manifests).flatMap((text) => readObjects(text));
    for (const object of objects) validate(object);
    return objects;
  };
  const scratch = await mkdtemp(join(tmpdir(), "skein-chart-"));
  const renderWith = async (values: unknown): Promise<KubernetesObject[]> => {
    const file = join(scratch, "values.yaml");
    await writeFile(file, stringify(values));
    return render([file]);
  };

  try {
    const objects = await render([]);
    await checkRules(objects, `skein:${version}`);
    const base = [...(await build(root, "base")), ...(await build(root, "migrate/expand"))];
    const [ours, theirs] = [comparable(objects), comparable(base)];
    assert.deepEqual(Object.keys(ours), Object.keys(theirs), "the chart and the Kustomize base have the same objects");
    for (const [name, object] of Object.entries(ours))
      assert.deepEqual(object, theirs[name], `the chart and the Kustomize base say the same of ${name}`);
    const contract = await renderWith({ migrate: { contract: { enabled: true } } });
    const jobs = contract.filter(({ metadata }) => metadata.name === "skein-migrate-contract");
    assert.deepEqual(comparable(jobs), comparable(await build(root, "migrate/contract")), "also for --contract");
    assert.equal(jobs[0]?.metadata.annotations?.["helm.sh/hook"], "post-upgrade");

    for (const file of await readdir(join(chart, "ci"))) {
      const rendered = await render([join(chart, "ci", file)]);
      const { image = {} } = parse(await readFile(join(chart, "ci", file), "utf8")) as {
        image?: Record<string, string>;
      };
      await checkRules(rendered, image["digest"] ? `${image["repository"]}@${image["digest"]}` : `skein:${version}`);
    }
    const everything = await render([join(chart, "ci/everything-values.yaml")]);
    const component = await build(root, "example/server");
    for (const kind of ["HorizontalPodAutoscaler", "ServiceMonitor", "Ingress"])
      assert.ok(
        everything.some((object) => object.kind === kind) && component.some((each) => each.kind === kind),
        kind,
      );
    const [scaler] = everything.filter(({ kind }) => kind === "HorizontalPodAutoscaler");
    assert.match(JSON.stringify(scaler), /"averageValue":"1000000"/, "large numbers are not rounded");

    const wrong: [unknown, RegExp][] = [
      [{ replicas: 3 }, /additionalProperties/],
      [{ api: { replicas: "3" } }, /integer/],
      [{ settings: { EXTERNAL_URL: "https://chat.example.com" } }, /additionalProperties/],
      [{ settings: { SKEIN_LOG_REPLICAS: 3 } }, /string/],
      [{ externalUrl: "https://chat.example.com/" }, /pattern/],
      [{ persistence: { enabled: false } }, /Uploaded files would be lost/],
      [{ existingSecret: "a", secrets: { SKEIN_SECRET: "b" } }, /either existingSecret or secrets/],
    ];
    for (const [values, message] of wrong)
      await assert.rejects(renderWith(values), message, `${JSON.stringify(values)} is refused`);
  } finally {
    await rm(scratch, { recursive: true });
  }
}

/** Without what the one tool adds and the other does not: labels and hooks of Helm, checksums, names with a hash. */
function comparable(objects: KubernetesObject[]): Record<string, unknown> {
  const ofHelm = /^(helm\.sh\/.*|checksum\/.*|app\.kubernetes\.io\/(version|managed-by))$/;
  const text = JSON.stringify(objects, (_, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !ofHelm.test(name));
    const full = kept.filter(([name, each]) => name !== "annotations" || !isEmpty(each, ofHelm));
    return Object.fromEntries(full.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }).replaceAll(/"name":"skein-[0-9a-z]{10}"/g, '"name":"skein"');
  const plain = JSON.parse(text) as KubernetesObject[];
  const entries = plain.map((object) => [`${object.kind}/${object.metadata.name}`, object] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const isEmpty = (annotations: unknown, ignored: RegExp): boolean =>
  Object.keys(annotations as object).every((name) => ignored.test(name));
