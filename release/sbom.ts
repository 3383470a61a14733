/** A bill of materials of everything in a release, as a CycloneDX document (https://cyclonedx.org/docs/1.6/json/). */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Package } from "./packages.ts";
import { root, type Source } from "./sources.ts";

export async function billOfMaterials(source: Source, packages: Package[]): Promise<string> {
  const { version, commit, time } = source;
  const product = {
    type: "application",
    "bom-ref": `pkg:generic/skein@${version}`,
    name: "skein",
    version,
    purl: `pkg:generic/skein@${version}`,
    licenses: [licenseOf("Apache-2.0")],
    properties: [{ name: "skein:commit", value: commit }],
  };
  const all = [...packages.map(componentOf), ...(await imageLibraries(packages))];
  // The same version can be installed in several folders.
  const components = [...new Map(all.map((component) => [component["bom-ref"], component])).values()];
  const document = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: `urn:uuid:${uuidFrom(JSON.stringify([source, components]))}`,
    version: 1,
    metadata: { timestamp: new Date(time * 1000).toISOString(), component: product },
    components,
    dependencies: [{ ref: product["bom-ref"], dependsOn: components.map((component) => component["bom-ref"]) }],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

interface Component {
  type: "library" | "platform";
  "bom-ref": string;
  name: string;
  version: string;
  purl: string;
  /** How databases of vulnerabilities name it. */
  cpe?: string;
}

function componentOf({ name, version, license, integrity }: Package): Component {
  const described = {
    name,
    version,
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    ...(integrity === undefined ? {} : { hashes: [hashOf(integrity)] }),
  };
  if (name === "node") {
    const purl = `pkg:generic/node@${version}`;
    const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
    return { type: "platform", "bom-ref": purl, purl, ...described, name: "Node.js", cpe };
  }
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type: "library", "bom-ref": purl, purl, ...described };
}

/** The C libraries that sharp's package for this platform contains. */
async function imageLibraries(packages: Package[]): Promise<Component[]> {
  const libvips = packages.find(({ name }) => name.startsWith("@img/sharp-libvips-"));
  if (!libvips) return [];
  const versions = JSON.parse(await readFile(join(root, libvips.folder, "versions.json"), "utf8")) as Record<
    string,
    string
  >;
  return Object.entries(versions).map(([name, version]) => {
    const purl = `pkg:generic/${name}@${version}`;
    return { type: "library", "bom-ref": purl, name, version, purl };
  });
}

/** One license has an id; a choice or a combination is an expression. */
const licenseOf = (license: string) => (/[ ()]/.test(license) ? { expression: license } : { license: { id: license } });

/** From the form in package-lock.json, `sha512-` and the hash in base64. */
function hashOf(integrity: string) {
  const [algorithm = "", hash = ""] = integrity.split("-", 2);
  return { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(hash, "base64").toString("hex") };
}

/** A UUID of version 8, made from a text: the same document has the same number. */
function uuidFrom(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
