import type { PageRequest } from "../../../http/page.ts";
import type { Realm } from "../../../identity/account.ts";

/** A request for a page of an organization. */
export interface Visit {
  realm: Realm;
  request: PageRequest;
  /** Required in every form of the page. */
  csrfToken: string;
}
