/**
 * Traces of requests, off by default. A message's trace goes on beyond its request: its event carries the trace to the relay,
 * and the event log's entry carries it to the nodes that deliver the event.
 *
 * OpenTelemetry's packages are loaded only if an endpoint is set (`tracing-otel.ts`).
 */
import type { Logger } from "./log.ts";

export type SpanAttributes = Record<string, string | number>;

export interface SpanOptions {
  kind: "server" | "internal" | "producer" | "consumer";
  /** The span that caused this one, in the format of the `traceparent` header. Without it a new trace begins. */
  parent?: string | undefined;
  /** The parent comes from a client, so this server decides whether the trace is recorded. */
  isForeign?: boolean;
  /** In milliseconds since 1970; now if omitted. */
  startedAt?: number;
  attributes?: SpanAttributes;
}

export interface Span {
  /** For the spans that this one causes. */
  readonly traceparent: string;
  end: (attributes?: SpanAttributes, failure?: string) => void;
}

export interface Tracing {
  /** Undefined if this trace is not recorded. */
  start: (name: string, options: SpanOptions) => Span | undefined;
  /** Sends what has not been sent yet. */
  stop: () => Promise<void>;
}

export interface TracingSettings {
  tracesEndpoint: string;
  tracesRatio: number;
  nodeName: string;
}

export async function openTracing(
  settings: TracingSettings,
  release: string,
  logger: Logger,
): Promise<Tracing | undefined> {
  if (settings.tracesEndpoint === "") return undefined;
  const { OtelTracing } = await import("./tracing-otel.ts");
  return new OtelTracing(settings, release, logger);
}
