interface Details extends ErrorOptions {
  /** When the server wants the request to be repeated at the earliest, in milliseconds from now. */
  retryAfter?: number | undefined;
}

/** The server refused the request; its message is meant for users. */
export class Refusal extends Error {
  /** Empty for errors at the HTTP level, such as a method that is not allowed. */
  readonly code: string;
  readonly status: number;
  /** The other fields of the response. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    { code, status, data, retryAfter }: Details & { code: string; status: number; data: Record<string, unknown> },
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.data = data;
    this.retryAfter = retryAfter;
  }
}

/** There was no usable response: whether the request took effect is unknown. */
export class NoResponse extends Error {
  /** The HTTP status, if a server or proxy responded at all. */
  readonly status: number | undefined;
  readonly retryAfter: number | undefined;

  constructor(status?: number, { retryAfter, ...options }: Details = {}) {
    super(status === undefined ? "no response" : `response with status ${status}`, options);
    this.name = "NoResponse";
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
