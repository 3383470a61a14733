import type { Report } from "../../src/domain/integrations/incoming-webhooks/formatter.ts";

/** A delivery of a service, and the expected message. */
export interface Fixture {
  name: string;
  headers: Record<string, string>;
  payload: unknown;
  /** Parameters of the URL. */
  options?: Record<string, string>;
  reports: Report[];
}
