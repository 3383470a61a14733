/** The traces that continue through the event log; see platform/tracing.ts. */

/** Quotes inside of JSON strings are escaped, so no user's text can contain this. */
const mark = Buffer.from('"traceparent":"00-');
const pattern = /"traceparent":"(00-[0-9a-f]{32}-[0-9a-f]{16}-01)"/g;
/** An entry can hold thousands of messages. */
const maxTraces = 100;

/** The spans in which these parts were committed. */
export function tracesOf(parts: readonly { json: Uint8Array }[]): string[] {
  const found = parts.flatMap(({ json }) => {
    const bytes = Buffer.from(json.buffer, json.byteOffset, json.byteLength);
    if (!bytes.includes(mark)) return [];
    return [...bytes.toString("latin1").matchAll(pattern)].map(([, traceparent = ""]) => traceparent);
  });
  return found.slice(0, maxTraces);
}
