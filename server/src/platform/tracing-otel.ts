/** Sends traces to an OpenTelemetry collector, by OTLP over HTTP. Imported only when traces are on. */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Tracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "./log.ts";
import type { Span, SpanAttributes, SpanOptions, Tracing, TracingSettings } from "./tracing.ts";

const sendEveryMilliseconds = 1000;
/** A collector that is away must not keep the process from stopping. */
const stopMilliseconds = 3000;

const kinds: Record<SpanOptions["kind"], SpanKind> = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

export class OtelTracing implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #ratio: TraceIdRatioBasedSampler;

  constructor({ tracesEndpoint, tracesRatio, nodeName }: TracingSettings, release: string, logger: Logger) {
    this.#ratio = new TraceIdRatioBasedSampler(tracesRatio);
    const exporter = new ReportingExporter(tracesEndpoint, logger);
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        "service.name": "skein",
        "service.version": release,
        "service.instance.id": nodeName,
      }),
      sampler: new ParentBasedSampler({ root: this.#ratio }),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: sendEveryMilliseconds })],
    });
    this.#tracer = this.#provider.getTracer("skein", release);
  }

  start(name: string, { kind, parent, isForeign = false, startedAt, attributes }: SpanOptions): Span | undefined {
    const options = {
      kind: kinds[kind],
      ...(startedAt === undefined ? {} : { startTime: startedAt }),
      ...(attributes && { attributes }),
    };
    const span = this.#tracer.startSpan(name, options, this.#contextOf(parent, isForeign));
    if (!span.isRecording()) return undefined;
    const { traceId, spanId } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-01`,
      end: (more: SpanAttributes = {}, failure?: string) => {
        span.setAttributes(more);
        if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
        span.end();
      },
    };
  }

  #contextOf(parent: string | undefined, isForeign: boolean): Context {
    const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent ?? "") ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
    const isRecorded = isForeign ? this.#isInRatio(traceId) : (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) !== 0;
    const traceFlags = isRecorded ? TraceFlags.SAMPLED : TraceFlags.NONE;
    return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
  }

  #isInRatio(traceId: string): boolean {
    return this.#ratio.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  async stop(): Promise<void> {
    const timeout = new Promise<void>((resolve) => setTimeout(resolve, stopMilliseconds).unref());
    await Promise.race([this.#provider.shutdown().catch(() => undefined), timeout]);
  }
}

/** Logs once that the collector does not take the traces, and once that it does again. */
class ReportingExporter extends OTLPTraceExporter {
  readonly #logger: Logger;
  #hasFailed = false;

  constructor(url: string, logger: Logger) {
    super({ url });
    this.#logger = logger;
  }

  override export(spans: ReadableSpan[], done: Parameters<OTLPTraceExporter["export"]>[1]): void {
    super.export(spans, (result) => {
      if (result.error && !this.#hasFailed)
        this.#logger.warn({ err: result.error }, "the collector does not accept traces; check SKEIN_TRACES_ENDPOINT");
      if (!result.error && this.#hasFailed) this.#logger.info("the collector accepts traces again");
      this.#hasFailed = result.error !== undefined;
      done(result);
    });
  }
}
