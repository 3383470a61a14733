/**
 * A refusal we can explain. Its message is the documented one, word for word: clients show it and tests compare it.
 * Anything else that is thrown is a bug, and the client hears nothing of the inside.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;
  readonly status: number;
  /** Further fields of the error body. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    message: string,
    options: {
      code?: string;
      status?: number;
      data?: Record<string, unknown>;
      headers?: Record<string, string>;
    } = {},
  ) {
    super(message);
    this.code = options.code ?? "BAD_REQUEST";
    this.status = options.status ?? 400;
    this.data = options.data ?? {};
    this.headers = options.headers ?? {};
  }
}

/** Any failure of Basic authentication, whatever its cause: who asks learns nothing of accounts. */
export const unauthorized = (message: string) =>
  new ApiError(message, {
    code: "UNAUTHORIZED",
    status: 401,
    headers: { "WWW-Authenticate": 'Basic realm="zulip"' },
  });

/** A key in an address that opens nothing there. */
export const invalidApiKey = (message = "Invalid API key") =>
  new ApiError(message, { code: "INVALID_API_KEY", status: 401 });

/** A browser that is not signed in, or no longer. */
export const notSignedIn = () =>
  new ApiError("Not logged in: API authentication or user session required", {
    code: "UNAUTHORIZED",
    status: 401,
    headers: { "WWW-Authenticate": 'Session realm="zulip"' },
  });

export const missingParameter = (name: string) =>
  new ApiError(`Missing '${name}' argument`, { code: "REQUEST_VARIABLE_MISSING", data: { var_name: name } });

export const invalidParameter = (name: string, value: string) =>
  new ApiError(`Bad value for '${name}': ${value}`, {
    code: "REQUEST_VARIABLE_INVALID",
    data: { var_name: name, bad_value: value },
  });

export const insufficientPermission = () => new ApiError("Insufficient permission");

export const notForBots = () => new ApiError("This endpoint does not accept bot requests.");

export const undecodableImage = () =>
  new ApiError("Could not decode image; did you upload an image file?", { code: "BAD_IMAGE" });

export const badEventQueueId = (queueId: string) =>
  new ApiError(`Bad event queue ID: ${queueId}`, { code: "BAD_EVENT_QUEUE_ID", data: { queue_id: queueId } });
