/** Whether an error means that PostgreSQL is unavailable at the moment, as opposed to a bug of ours. */

/** Lost or refused connections, a server that is starting or stopping, statement and lock timeouts. */
const states = /^(?:08|57P0|53)|^(?:25P03|25P04|57014|55P03)$/;
const network = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
]);
/** Errors for which the driver has no code. */
const texts =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after calling end)/;

export function isDatabaseOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some(isDatabaseOutage)) return true;
  const code = "code" in error ? String(error.code) : "";
  if (network.has(code) || (/^[0-9A-Z]{5}$/.test(code) && states.test(code)) || texts.test(error.message)) return true;
  return error.cause !== undefined && isDatabaseOutage(error.cause);
}
