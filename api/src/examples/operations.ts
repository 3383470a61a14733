/** Which operation an exported route is: for everything that prints or sends examples. */
import { endpoints } from "../all.ts";
import { type Endpoint, jsonOnWire } from "../endpoint.ts";
import type { Route } from "../route.ts";
import * as routes from "../routes.ts";
import type { Operation } from "./curl.ts";
import type { RouteName } from "./example.ts";

const routesByName: Record<RouteName, Route<unknown>> = { ...routes };
const names = Object.keys(routes) as RouteName[]; // the module has nothing else

const isOf = ({ method, path }: Route<unknown>, declared: Endpoint): boolean =>
  method === declared.method && path === declared.path;

/** The declaration of each route. Two operations at one path are distinguished by who may call them. */
export const declarations = Object.fromEntries(
  names.map((name) => {
    const found = endpoints.filter((declared) => isOf(routesByName[name], declared));
    const own = name === "fetchOwnApiKey" ? "browsers" : undefined;
    const declared =
      found.length === 1 ? found[0] : found.find(({ only }) => (only === "browsers") === (own !== undefined));
    if (!declared) throw new Error(`no operation has the path of ${name}`);
    return [name, declared];
  }),
) as unknown as Record<RouteName, Endpoint>;

export const routeNameOf = (operation: string): RouteName | undefined =>
  names.find((name) => declarations[name].operation === operation);

export const operations = Object.fromEntries(
  names.map((name): [RouteName, Operation] => {
    const { auth, params } = declarations[name];
    const orText = Object.keys(params).filter((param) => params[param] && jsonOnWire(params[param]) === "or text");
    return [name, { route: routesByName[name], orText, needsCredentials: auth !== "none" }];
  }),
) as Record<RouteName, Operation>; // one for each name
