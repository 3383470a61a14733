/**
 * How the example of an operation is declared. The commands on the reference pages are generated from it, so that they work
 * as printed in the demo organization (`npx skein dev --demo`), and a test runs them all. Ids of people and channels are the
 * demo's; everything else that an example needs, it creates first.
 */
import type { ArgumentsOf } from "../client.ts";
import type { Route } from "../route.ts";
import type * as routes from "../routes.ts";

/** The name under which `@skein/api` exports the operation. */
export type RouteName = keyof typeof routes;
type Declaration<N extends RouteName> = (typeof routes)[N] extends Route<infer E> ? E : never;
export type ParamsFor<N extends RouteName> = ArgumentsOf<Declaration<N>>;

/** Whose credentials a call carries: an address, and where its API key comes from. */
export interface Caller {
  email: string;
  key: string;
}

/** A call that comes first, and the field of its response that later calls refer to, if any. */
export interface Step {
  call: RouteName;
  params: Record<string, unknown>;
  /** The name of the value, and where it is in the response: `.id`, `.ids[0]`, or a list as `.drafts[].id`. */
  take?: { name: string; path: string };
  as?: Caller;
  file?: string;
}

export interface AnyExample {
  /** What has to exist before. */
  first?: readonly Step[];
  params: Record<string, unknown>;
  /** The file that the call uploads. */
  file?: string;
  /** By default the reader's own account; in the demo organization, its owner. */
  as?: Caller;
  /** Why the server of the demo organization refuses the call. */
  refused?: string;
  /** Afterwards no other call of the organization works. */
  endsOrganization?: true;
  /** The commands, where they cannot be derived: a browser's session, a response that is not JSON. */
  written?: { curl: (site: string) => string; typescript: (site: string) => string };
}

export type Example<N extends RouteName> = AnyExample & { params: ParamsFor<N> };

/** Examples of some operations. */
export type Examples = { [N in RouteName]?: Example<N> };

/** Stands for the value that an earlier step has taken. */
export class Reference {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** The value of an earlier step, as a parameter of any type. */
export const from = (name: string): never => new Reference(name) as never;

/** A step that takes a field of the response. */
export const take = <N extends RouteName>(
  name: string,
  call: N,
  params: ParamsFor<N>,
  path = `.${name}`,
  more: Pick<Step, "as" | "file"> = {},
): Step => ({ call, params, take: { name, path }, ...more });

/** A step that only has an effect. */
export const act = <N extends RouteName>(
  call: N,
  params: ParamsFor<N>,
  more: Pick<Step, "as" | "file"> = {},
): Step => ({
  call,
  params,
  ...more,
});
