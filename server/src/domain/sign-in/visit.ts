import type { PageRequest } from "../../http/router.ts";
import type { Realm } from "../../http/sessions.ts";

/** Somebody at a page of an organization. */
export interface Visit {
  realm: Realm;
  request: PageRequest;
  /** What forms of the page have to carry. */
  csrfToken: string;
}
