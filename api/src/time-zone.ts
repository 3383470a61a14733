import { z } from "zod";

/** The engine takes a name in any case and gives it back in no particular one; the names themselves are capitalized. */
const form = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/;

function isTimeZone(name: string): boolean {
  if (!form.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** An IANA time zone, by one of its names. */
export const timeZone = z.string().refine(isTimeZone);
