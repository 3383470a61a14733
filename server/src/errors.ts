/**
 * An error the client can understand. Its message is the documented one, word for word: clients show it and tests compare
 * it. Anything else that is thrown is a bug, and the client learns no internals.
 */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: string;
  readonly status: number;
  /** Additional fields of the error response. */
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

/** The organization is frozen, or has left for another cell, where the client's next attempt arrives. */
export const beingMoved = () =>
  new ApiError("This organization is being moved to another server. Please try again in a few seconds.", {
    code: "READ_ONLY",
    status: 503,
    headers: { "Retry-After": "2" },
  });

/** Any failure of Basic authentication. The response must not reveal whether the account exists. */
export const unauthorized = (message: string) =>
  new ApiError(message, {
    code: "UNAUTHORIZED",
    status: 401,
    headers: { "WWW-Authenticate": 'Basic realm="zulip"' },
  });

/** An API key in a URL that is invalid there. */
export const invalidApiKey = (message = "Invalid API key") =>
  new ApiError(message, { code: "INVALID_API_KEY", status: 401 });

/** The browser has no session, or its session has ended. */
export const notSignedIn = () =>
  new ApiError("Not logged in: API authentication or user session required", {
    code: "UNAUTHORIZED",
    status: 401,
    headers: { "WWW-Authenticate": 'Session realm="zulip"' },
  });

/** The key was valid until recently. */
export const apiKeyExpired = () =>
  new ApiError("This API key has expired", {
    code: "API_KEY_EXPIRED",
    status: 401,
    headers: { "WWW-Authenticate": 'Basic realm="zulip"' },
  });

/** The account may be permitted to do this, but not with this key. */
export const insufficientScope = (required_scopes: readonly string[]) =>
  new ApiError(`This API key lacks the scope: ${required_scopes.join(", ")}`, {
    code: "INSUFFICIENT_SCOPE",
    status: 403,
    data: { required_scopes },
  });

/** The browser's session may do this only after its holder has confirmed who they are. `confirm_with`: with what. */
export const stepUpRequired = (confirm_with: readonly string[]) =>
  new ApiError("Confirm that it is you to do this.", { code: "STEP_UP_REQUIRED", status: 403, data: { confirm_with } });

export const missingParameter = (name: string) =>
  new ApiError(`Missing '${name}' argument`, { code: "REQUEST_VARIABLE_MISSING", data: { var_name: name } });

export const invalidParameter = (name: string, value: string) =>
  new ApiError(`Bad value for '${name}': ${value}`, {
    code: "REQUEST_VARIABLE_INVALID",
    data: { var_name: name, bad_value: value },
  });

/** Somebody else was faster: the value is no longer the one that the caller knows. */
export const expectationMismatch = (field: "old" | "prev_content_sha256") =>
  new ApiError(`'${field}' value does not match the expected value.`, {
    code: "EXPECTATION_MISMATCH",
    data: { field_name: field },
  });

export const insufficientPermission = () => new ApiError("Insufficient permission");

export const notForBots = () => new ApiError("This endpoint does not accept bot requests.");

export const undecodableImage = () =>
  new ApiError("Could not decode image; did you upload an image file?", { code: "BAD_IMAGE" });

/** Too many images of this account, or of all accounts together, are waiting; an API client may retry. */
export const tooManyImages = () =>
  new ApiError("Too many images are being processed. Try again in a moment.", {
    code: "RATE_LIMIT_HIT",
    status: 429,
    data: { "retry-after": 5 },
    headers: { "Retry-After": "5" },
  });

export const badEventQueueId = (queueId: string) =>
  new ApiError(`Bad event queue ID: ${queueId}`, { code: "BAD_EVENT_QUEUE_ID", data: { queue_id: queueId } });
