/** The server's messages by field; those that are about no single field are in `other`. */
import type { Refusal } from "@skein/api/failures.ts";

export type FieldErrors = Readonly<Record<string, string>>;

export function fieldErrors({ message, data }: Refusal): FieldErrors {
  const errors = data["errors"];
  if (typeof errors !== "object" || errors === null) return { other: message };
  const entries = Object.entries(errors as Record<string, string[]>); // as the server documents it
  return Object.fromEntries(
    entries.map(([field, [first]]) => [field === "__all__" ? "other" : field, first ?? message]),
  );
}
