import { maxChannelNameLength } from "@skein/api/channels.ts";
import { textLength } from "@skein/api/endpoint.ts";
import { ApiError } from "../../errors.ts";

/** Control characters, lone surrogates and noncharacters. */
const invisible = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/u;

/** Trims and validates a name. */
export function toChannelName(text: string): string {
  const name = text.trim();
  if (name === "") throw new ApiError("Channel name can't be empty.");
  if (textLength(name) > maxChannelNameLength)
    throw new ApiError(`Channel name too long (limit: ${maxChannelNameLength} characters).`);
  const position = [...name].findIndex((char) => invisible.test(char));
  if (position >= 0) throw new ApiError(`Invalid character in channel name, at position ${position + 1}.`);
  return name;
}
