/** What holds for the objects of every server, whichever tool rendered them. */
import assert from "node:assert/strict";
import { assertEnoughTimeToStop, assertKnownCommand, assertKnownSettings } from "./check.ts";
import type { Container, KubernetesObject, PodSpec } from "./objects.ts";

export async function checkRules(objects: KubernetesObject[], image: string): Promise<void> {
  const keys = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
  assert.deepEqual(keys, [...new Set(keys)], "every object once");
  for (const object of objects) {
    const where = `${object.kind}/${object.metadata.name}`;
    if (object.kind === "ConfigMap") assertKnownSettings(where, object.data ?? {});
    if (object.kind === "Secret") assertKnownSettings(where, object.stringData ?? {});
    const pod = object.spec?.template?.spec;
    if (!pod) continue;
    const [container] = pod.containers;
    assert.equal(container.image, image, `${where} runs this release`);
    await assertKnownCommand(where, container.args);
    checkSecurity(where, pod, container);
    assert.equal(pod.enableServiceLinks, false, `${where}: a Service named skein would set SKEIN_PORT`);
    const own = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value ?? ""]));
    assertKnownSettings(where, Object.fromEntries(Object.entries(own).filter(([, value]) => value !== "")));
    for (const { name } of container.env ?? []) assertKnownSettings(where, { [name]: own[name] || "postgres://a@b/c" });
    assert.ok(container.resources?.requests?.["cpu"], `${where} requests processor time`);
    assert.ok(container.resources.limits?.["memory"], `${where} has a limit of memory`);
    const mounted = (container.volumeMounts ?? []).map(({ name }) => name);
    assert.deepEqual(
      mounted,
      pod.volumes.map(({ name }) => name),
      `${where} mounts its volumes`,
    );
    assert.ok(
      container.volumeMounts?.some(({ mountPath }) => mountPath === "/tmp"),
      `${where} can write to /tmp`,
    );
    if (object.kind === "Deployment") checkServer(where, object, pod, container, objects);
  }
}

/** The profile "restricted" of the Pod Security Standards, and a read-only root. */
function checkSecurity(where: string, pod: PodSpec, container: Container): void {
  const ofPod = pod.securityContext ?? {};
  assert.equal(ofPod["runAsNonRoot"], true, `${where} does not run as root`);
  assert.equal(ofPod["runAsUser"], 10001, `${where} runs as the image's user`);
  assert.deepEqual(ofPod["seccompProfile"], { type: "RuntimeDefault" }, `${where} has a seccomp profile`);
  const own = container.securityContext ?? {};
  assert.equal(own["allowPrivilegeEscalation"], false, `${where} gains no privileges`);
  assert.equal(own["readOnlyRootFilesystem"], true, `${where} has a read-only root`);
  assert.deepEqual(own["capabilities"], { drop: ["ALL"] }, `${where} has no capabilities`);
  assert.equal(pod.automountServiceAccountToken, false, `${where} has no token of the cluster`);
}

function checkServer(
  where: string,
  { metadata, spec }: KubernetesObject,
  pod: PodSpec,
  container: Container,
  objects: KubernetesObject[],
): void {
  const configName = container.envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
  const config = objects.find(({ kind, metadata: { name } }) => kind === "ConfigMap" && name === configName);
  assert.ok(config, `${where} refers to a ConfigMap that exists`);
  assert.equal(config.data?.["SKEIN_HEALTH_PORT"], "9992", "metrics are not on the public port");
  assertEnoughTimeToStop(where, pod.terminationGracePeriodSeconds ?? 30, config.data);

  const ports = new Map(container.ports?.map(({ name, containerPort }) => [name, containerPort]));
  assert.equal(ports.get("health"), 9992, `${where} offers health`);
  const paths = ["startupProbe", "livenessProbe", "readinessProbe"] as const;
  const probed = paths.map((probe) => `${container[probe]?.httpGet.path} ${container[probe]?.httpGet.port}`);
  assert.deepEqual(probed, ["/health/live health", "/health/live health", "/health/ready health"], `${where}: probes`);

  const labels = spec?.template?.metadata.labels ?? {};
  const selects = (selector: unknown): boolean =>
    Object.entries(selector as Record<string, string>).every(([name, value]) => labels[name] === value);
  const { matchLabels } = (spec?.["selector"] ?? {}) as { matchLabels?: unknown };
  assert.ok(selects(matchLabels), `${where} selects its own pods`);
  const role = labels["app.kubernetes.io/component"];
  assert.equal(container.env?.[0]?.value, role, `${where} has the role ${role}`);
  assert.ok(metadata.name.endsWith(`-${role}`), `${where} is named by its role`);
  for (const service of objects.filter(({ kind }) => kind === "Service")) {
    const { selector, ports: served } = service.spec as { selector: unknown; ports: { targetPort: string }[] };
    if (role === "api") assert.ok(selects(selector), `Service/${service.metadata.name} selects ${where}`);
    if (selects(selector))
      for (const { targetPort } of served)
        assert.ok(ports.has(targetPort), `Service/${service.metadata.name} leads to a port of ${where}`);
  }
}
