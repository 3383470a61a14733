/** The parts that tests use; the package has no types. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";
  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
  }
}
