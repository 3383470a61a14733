import type { Report } from "../formatter.ts";

/** A delivery as the service makes it, and what is posted of it. */
export interface Fixture {
  name: string;
  headers: Record<string, string>;
  payload: unknown;
  /** Parameters of the address. */
  options?: Record<string, string>;
  reports: Report[];
}
