/** The rules for names of emoji. */
import { ApiError } from "../../../errors.ts";

const maxLength = 100;
const allowedCharacters = /^[0-9a-z._-]+$/;
const lastCharacter = /[0-9a-z]$/;

/** The name as it is stored; throws when it is not allowed. */
export function normalizeEmojiName(text: string): string {
  const name = text.trim().toLowerCase().replaceAll(" ", "_");
  if (name === "") throw new ApiError("Emoji name is missing");
  if (!allowedCharacters.test(name))
    throw new ApiError(
      "Emoji names must contain only lowercase English letters, digits, spaces, dashes, underscores, and periods.",
    );
  if (!lastCharacter.test(name)) throw new ApiError("Emoji names must end with either a letter or digit.");
  if (name.length > maxLength) throw new ApiError(`emoji_name is too long (limit: ${maxLength} characters)`);
  return name;
}
