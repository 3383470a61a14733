/** Checks Kubernetes objects against the types of the API, strictly. */
import assert from "node:assert/strict";
import { ServiceMonitor } from "@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { ServiceAccount } from "kubernetes-models/v1/ServiceAccount";
import { parseAllDocuments } from "yaml";

/** The parts of objects that are looked at. */
export interface Container {
  image: string;
  args: string[];
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts?: { name: string; mountPath: string }[];
  securityContext?: Record<string, unknown>;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
}
interface Probe {
  httpGet: { path: string; port: string };
}
export interface PodSpec {
  containers: [Container, ...Container[]];
  volumes: { name: string }[];
  enableServiceLinks?: boolean;
  automountServiceAccountToken?: boolean;
  securityContext?: Record<string, unknown>;
  serviceAccountName?: string;
  terminationGracePeriodSeconds?: number;
}
export interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: Record<string, unknown> & {
    template?: {
      metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
      spec: PodSpec;
    };
  };
}

interface Model {
  apiVersion: string;
  kind: string;
  prototype: { validate: () => void };
}

const models: Model[] = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Secret,
  Service,
  ServiceAccount,
  ServiceMonitor,
];

/** Also refuses keys that occur twice, which some tools accept. */
export function readObjects(text: string): KubernetesObject[] {
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error) throw error;
    const value: unknown = document.toJS();
    return value === null ? [] : [value as KubernetesObject];
  });
}

export function validate(object: KubernetesObject): void {
  const where = `${object.kind}/${object.metadata.name}`;
  const model = models.find(({ apiVersion, kind }) => apiVersion === object.apiVersion && kind === object.kind);
  assert.ok(model, `${where}: ${object.kind} of ${object.apiVersion} is unknown`);
  const unread = new Set<string>();
  try {
    // What the validation of a type does not even look at is not a field of that type.
    model.prototype.validate.call(watch(object, where, unread));
  } catch (error) {
    assert.fail(`${where}: ${(error as Error).message}`);
  }
  assert.deepEqual([...unread], [], `${where} has fields that Kubernetes does not know`);
}

/** Returns the same value, which removes the path of each field from `unread` when it is read. */
function watch<T>(value: T, path: string, unread: Set<string>): T {
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  const watched: [string, unknown][] = Object.entries(value).map(([name, each]) => {
    if (!isList) unread.add(`${path}.${name}`);
    return [name, watch(each, isList ? `${path}[${name}]` : `${path}.${name}`, unread)];
  });
  if (isList) return watched.map(([, each]) => each) as T;
  return new Proxy(Object.fromEntries(watched), {
    get: (target, name) => {
      unread.delete(`${path}.${String(name)}`);
      return target[String(name)];
    },
  }) as T;
}
