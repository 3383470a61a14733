import { z } from "zod";

/** Intl accepts names in any case and does not normalize them; the IANA names are capitalized. */
const form = /^[A-Z][\w+-]*(\/[A-Z][\w+-]*)*$/;

function isTimeZone(name: string): boolean {
  if (!form.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

/** An IANA time zone, under any of its names. */
export const timeZone = z.string().refine(isTimeZone);
