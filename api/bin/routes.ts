/** The endpoints of all areas by the names they are exported under. */
import { readdir } from "node:fs/promises";
import { endpoints } from "../src/all.ts";
import { jsonOnWire, type Endpoint } from "../src/endpoint.ts";
import type { Route } from "../src/route.ts";

export interface NamedRoute extends Required<Omit<Route, "declaration">> {
  name: string;
  /** The file of the declaration. */
  file: string;
}

const source = new URL("../src/", import.meta.url);

export async function listRoutes(): Promise<NamedRoute[]> {
  const declared = new Set<unknown>(endpoints);
  const files = (await readdir(source)).filter(
    (file) => file.endsWith(".ts") && !/\.test\.ts$|^(routes|all)\.ts$/.test(file),
  );
  const routes: NamedRoute[] = [];
  for (const file of files.toSorted()) {
    const exported = (await import(new URL(file, source).href)) as Record<string, unknown>; // what a module is
    for (const [name, value] of Object.entries(exported)) {
      if (!declared.has(value)) continue;
      const { method, path, params } = value as Endpoint; // one of those that are declared
      const texts = Object.keys(params).filter((param) => {
        const schema = params[param];
        return schema !== undefined && jsonOnWire(schema) === undefined;
      });
      routes.push({ name, file, method, path, texts });
    }
  }
  return routes;
}
