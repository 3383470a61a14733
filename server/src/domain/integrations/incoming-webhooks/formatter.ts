/** Turns a service's payload into messages. Formatters are pure; for any input they return a report or throw one of these errors. */
import { z } from "zod";

export interface Report {
  topic: string;
  content: string;
}

export interface Formatted {
  /** The kind of event, for filters. */
  event: string | undefined;
  /** Empty if there is nothing to report. */
  reports: Report[];
}

/** An event the integration does not know. */
export class UnknownEvent extends Error {
  override name = "UnknownEvent";
  readonly event: string;
  constructor(event: string) {
    super(`unknown event ${event}`);
    this.event = event;
  }
}

/** A known event whose payload does not have the expected shape. */
export class UnknownShape extends Error {
  override name = "UnknownShape";
  readonly event: string | undefined;
  /** The unexpected part of the payload: `pull_request.number`. */
  readonly path: string;
  constructor(event: string | undefined, path: string) {
    super(`unknown shape of ${event ?? "a delivery"} at ${path}`);
    this.event = event;
    this.path = path;
  }
}

/** The header with the event's name is missing. */
export class MissingHeader extends Error {
  override name = "MissingHeader";
  readonly header: string;
  constructor(header: string) {
    super(`missing header ${header}`);
    this.header = header;
  }
}

export type Formatter = (payload: unknown, event?: string) => Report | undefined;

/** A formatter for payloads of this shape. */
export const formatter =
  <S extends z.ZodType>(schema: S, format: (payload: z.output<S>) => Report | undefined): Formatter =>
  (payload, event) =>
    format(readShape(schema, payload, event));

export function readShape<S extends z.ZodType>(schema: S, payload: unknown, event?: string): z.output<S> {
  const read = schema.safeParse(payload);
  if (read.success) return read.data;
  throw new UnknownShape(event, read.error.issues[0]?.path.join(".") ?? "");
}

export interface Listed<T> {
  items: T[];
  /** The number of all items, of which `items` are the first. */
  total: number;
}

const maxItems = 30;

/** A list of which only the first items are parsed, so that the cost does not depend on its length. */
export const listed = <S extends z.ZodType>(item: S, max = maxItems) =>
  z
    .array(z.unknown())
    .transform((all) => ({ items: all.slice(0, max), total: all.length }))
    .pipe(z.object({ items: z.array(item), total: z.number() }));

/** A string that may be missing or null. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** A number that services send with or without quotes. */
export const numberText = z.union([z.number(), z.string()]).transform(String);
