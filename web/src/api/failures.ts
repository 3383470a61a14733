/** The server said no, and why: its words are for people to read. */
export class Refusal extends Error {
  readonly code: string;
  readonly status: number;
  /** What else the answer holds. */
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    message: string,
    { code, status, data }: { code: string; status: number; data: Record<string, unknown> },
  ) {
    super(message);
    this.name = "Refusal";
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

/** There was no answer that says anything: whether the request was done is not known. */
export class NoAnswer extends Error {
  /** The HTTP status, where a server or something before it answered at all. */
  readonly status: number | undefined;

  constructor(status?: number, options?: ErrorOptions) {
    super(status === undefined ? "no answer" : `answered ${status}`, options);
    this.name = "NoAnswer";
    this.status = status;
  }
}
