/** Reads a delivery's JSON from the body or from the form field `payload`, whatever the content type. */
import { findField } from "../../../http/form.ts";
import type { PageRequest } from "../../../http/page.ts";
import { invalidJson } from "./refusals.ts";

/** No service nests this deep, and a deeper value could not be serialized again. */
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
  return (isForm ? findField(text, "payload") : undefined) ?? text;
}

/** Iterative, because recursion would overflow the stack on a deep value. */
function isDeeper(value: unknown, limit: number): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true;
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []));
  }
  return false;
}
