import assert from "node:assert/strict";
import { join } from "node:path";
import { runTool } from "./check.ts";
import { readObjects, validate, type KubernetesObject } from "./objects.ts";
import { checkRules } from "./rules.ts";

export async function build(root: string, folder: string): Promise<KubernetesObject[]> {
  const objects = readObjects(await runTool("kustomize", ["build", join(root, "deploy/kubernetes", folder)]));
  for (const object of objects) validate(object);
  return objects;
}

export async function checkKustomize(root: string, version: string): Promise<void> {
  for (const folder of ["base", "migrate/expand", "migrate/contract"])
    await checkRules(await build(root, folder), `skein:${version}`);

  const example = await build(root, "example/server");
  await checkRules(example, `registry.example.com/skein:${version}`);
  await checkRules(await build(root, "example/migrate"), `registry.example.com/skein:${version}`);
  const has = (kind: string) => example.some((object) => object.kind === kind);
  for (const kind of ["HorizontalPodAutoscaler", "Ingress", "ServiceMonitor"])
    assert.ok(has(kind), `the example has a ${kind}`);
  assert.ok(!has("PersistentVolumeClaim"), "with a bucket there is no volume");
  const api = example.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === "skein-api");
  assert.equal(api?.spec?.["replicas"], undefined, "the autoscaler sets the number of pods");
}
