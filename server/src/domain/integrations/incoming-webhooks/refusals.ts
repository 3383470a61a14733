/** Error responses to deliveries that cannot be used. */
import { ApiError } from "../../../errors.ts";

export const invalidJson = () => new ApiError("Malformed JSON", { code: "INVALID_JSON" });

/** A success status, because the service did nothing wrong and should not retry. */
export const unsupportedEvent = (displayName: string, event: string) =>
  new ApiError(`The '${event}' event isn't currently supported by the ${displayName} webhook; ignoring`, {
    code: "UNSUPPORTED_WEBHOOK_EVENT_TYPE",
    status: 200,
    data: { webhook_name: displayName, event_type: event },
  });

export const anomalousPayload = (displayName: string, event: string | undefined) =>
  new ApiError(`Unable to parse request: Did ${displayName} generate this event?`, {
    code: "ANOMALOUS_WEBHOOK_PAYLOAD",
    data: { webhook_name: displayName, ...(event === undefined ? {} : { event_type: event }) },
  });

export const missingEventHeader = (header: string) =>
  new ApiError(`Missing the HTTP event header '${header}'`, {
    code: "MISSING_HTTP_EVENT_HEADER",
    data: { header },
  });
