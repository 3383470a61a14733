/** A refusal with the server's message, or a connection failure. */
export class UploadError extends Error {
  /** Whether the same file could succeed later. */
  readonly canRetry: boolean;

  constructor(message: string, canRetry: boolean) {
    super(message);
    this.canRetry = canRetry;
  }
}
