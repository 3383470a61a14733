/**
 * Passwords are kept as argon2id hashes. The protocol asks for passwords that withstand 10,000 guesses; we refuse what
 * a guesser tries first, by rules that need no dictionary of the world's passwords: fewer than four different
 * characters, a stretch of the keyboard, alphabet or digits, one of the commonest passwords with or without digits
 * after it, and the account's own name or address.
 */
import { randomUUID } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import { textLength } from "@skein/api/endpoint.ts";
import { passwordMaxLength, passwordMinLength } from "@skein/api/users.ts";
import { ApiError } from "../../errors.ts";

/** Throws unless the password is good enough for an account that goes by these names and addresses. */
export function checkPassword(password: string, knownOfAccount: string[], refusal = "The password is too weak."): void {
  if (textLength(password) > passwordMaxLength)
    throw new ApiError(`password is too long (limit: ${passwordMaxLength} characters)`);
  if (textLength(password) < passwordMinLength || isGuessable(password, knownOfAccount)) throw new ApiError(refusal);
}

/** Slow on purpose: never inside a transaction. */
export const hashPassword = (password: string): Promise<string> => hash(password);

/** Whether this is the account's password. Takes as long for an account that has none, or for no account at all. */
export async function isPassword(passwordHash: string | null | undefined, password: string): Promise<boolean> {
  const isRight = await verify(passwordHash ?? (await hashOfNobody), password);
  return isRight && passwordHash !== null && passwordHash !== undefined;
}

const hashOfNobody = hash(randomUUID());

const distinctCharacters = 4;
const common = ["password", "passwort", "letmein", "welcome", "iloveyou", "admin", "administrator", "monkey", "dragon"];
const stretches = [
  "abcdefghijklmnopqrstuvwxyz",
  "01234567890123456789",
  "qwertyuiop",
  "qwertzuiop",
  "asdfghjkl",
  "zxcvbnm",
];

function isGuessable(password: string, knownOfAccount: string[]): boolean {
  const plain = password.toLowerCase();
  if (new Set(plain).size < distinctCharacters) return true;
  const withoutDigits = plain.replace(/\d+$/, "");
  if (common.includes(withoutDigits)) return true;
  if (stretches.some((stretch) => stretch.includes(plain) || reversed(stretch).includes(plain))) return true;
  const own = knownOfAccount.flatMap((name) => [name, name.split("@", 1)[0] ?? ""]).map((name) => name.toLowerCase());
  return own.some((name) => name !== "" && (name === plain || name === withoutDigits));
}

const reversed = (text: string) => [...text].toReversed().join("");
