/** From what a service sent to what is posted. Formatters are pure; whatever is sent to them, they answer or throw these. */
import { z } from "zod";

export interface Report {
  topic: string;
  content: string;
}

export interface Formatted {
  /** The kind of event, which can be filtered for. */
  event: string | undefined;
  /** Nothing, when there is nothing to say of it. */
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

/** An event it knows, in a form the service does not send. */
export class UnknownShape extends Error {
  override name = "UnknownShape";
  readonly event: string | undefined;
  /** Where the payload is not as expected: `pull_request.number`. */
  readonly path: string;
  constructor(event: string | undefined, path: string) {
    super(`unknown shape of ${event ?? "a delivery"} at ${path}`);
    this.event = event;
    this.path = path;
  }
}

/** The header that says which event it is was left out. */
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
  /** How many there were; the items are the first of them. */
  total: number;
}

const mostItems = 30;

/** A list of which the first are looked at, so that what it costs does not depend on how long it is. */
export const listed = <S extends z.ZodType>(item: S, most = mostItems) =>
  z
    .array(z.unknown())
    .transform((all) => ({ items: all.slice(0, most), total: all.length }))
    .pipe(z.object({ items: z.array(item), total: z.number() }));

/** Text that may be left out; null is nothing as well. */
export const optionalText = z
  .string()
  .nullish()
  .transform((text) => text ?? "");

/** A number services write with or without quotes. */
export const numberText = z.union([z.number(), z.string()]).transform(String);
