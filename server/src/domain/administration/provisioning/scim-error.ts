/** Errors as SCIM clients read them (RFC 7644, section 3.12). */
import { ApiError } from "../../../errors.ts";
import { urns } from "./schemas.ts";

export type ScimType =
  | "invalidFilter"
  | "invalidPath"
  | "invalidSyntax"
  | "invalidValue"
  | "mutability"
  | "noTarget"
  | "uniqueness";

export const scimError = (status: number, detail: string, scimType?: ScimType): ApiError =>
  new ApiError(detail, { status, code: "SCIM", ...(scimType ? { data: { scimType } } : {}) });

export const invalid = (scimType: ScimType, detail: string): ApiError => scimError(400, detail, scimType);
export const taken = (detail: string): ApiError => scimError(409, detail, "uniqueness");
export const notFound = (detail = "There is no such resource."): ApiError => scimError(404, detail);

/** The body of an error response. Errors of the chat's own rules, such as a name that is not allowed, are about a value. */
export function toErrorBody(status: number, detail: string, scimType: unknown): object {
  const fallback = status === 400 ? "invalidValue" : status === 409 ? "uniqueness" : undefined;
  const type = typeof scimType === "string" ? scimType : fallback;
  return { schemas: [urns.error], status: String(status), detail, ...(type === undefined ? {} : { scimType: type }) };
}
