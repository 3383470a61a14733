/** Normalizes a message's text: trims it, refuses NUL bytes, and truncates it at the maximum length. */
import { maxMessageLength } from "@skein/api/messages.ts";
import { ApiError } from "../../errors.ts";
import { truncate } from "../base/truncate.ts";

const truncated = "\n[message truncated]";

export function normalizeContent(text: string): string {
  const content = text.trimEnd().replace(/^\n+/, "");
  if (content.trim() === "") throw new ApiError("Message must not be empty");
  if (content.includes("\0")) throw new ApiError("Message must not contain null bytes");
  return truncate(content, maxMessageLength, truncated);
}
