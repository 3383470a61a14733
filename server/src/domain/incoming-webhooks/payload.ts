/** What a delivery's body says: JSON, as it stands or as the field `payload` of a form, whatever type it claims to be. */
import type { PageRequest } from "../../http/router.ts";
import { invalidJson } from "./refusals.ts";

/** No service nests as deep; what did could not be written out again. */
const deepest = 100;

export function readPayload(request: PageRequest): unknown {
  const text = textOf(request);
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    throw invalidJson();
  }
  if (isDeeper(payload, deepest)) throw invalidJson();
  return payload;
}

function textOf({ bytes, form, header }: PageRequest): string {
  if (!bytes) return form.get("payload") ?? "";
  const text = bytes.toString("utf8");
  const isForm = header("content-type")?.toLowerCase().startsWith("application/x-www-form-urlencoded") === true;
  return (isForm ? new URLSearchParams(text).get("payload") : null) ?? text;
}

/** By a list and not by calling itself, or a deep value would end the call. */
function isDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
