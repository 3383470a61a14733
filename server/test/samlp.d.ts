/** The part of samlp that the tests use. */
declare module "samlp" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  type Middleware = (request: IncomingMessage, response: ServerResponse, next: (error: unknown) => void) => void;
  interface Options {
    [name: string]: unknown;
    getPostURL?: (audience: string, dom: unknown, request: unknown, done: (error: null, url: string) => void) => void;
  }
  const samlp: {
    auth: (options: Options) => Middleware;
    metadata: (options: Options) => Middleware;
    parseRequest: (
      request: IncomingMessage,
      done: (error: unknown, data?: { assertionConsumerServiceURL?: string; forceAuthn?: string }) => void,
    ) => void;
  };
  export default samlp;
}
