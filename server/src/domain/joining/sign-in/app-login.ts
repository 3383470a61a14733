/**
 * Signing in to an app: the app opens a browser and waits for the result. It passes a random one-time pad, with which the
 * result is encrypted, since other programs may be able to read it.
 */
import { ApiError } from "../../../errors.ts";
import type { PageRequest } from "../../../http/page.ts";

export interface WaitingApp {
  /** A mobile app gets an API key through a URL that it opens; a desktop app gets a token that the user copies. */
  kind: "mobile" | "desktop";
  /** 32 bytes, in hexadecimal. */
  pad: string;
}

/** The parameters and form fields that carry the pad. */
const padFields = { mobile: "mobile_flow_otp", desktop: "desktop_flow_otp" } as const;
const kinds = ["mobile", "desktop"] as const;
const padPattern = /^[0-9a-f]{64}$/i;

/** Undefined when no app has opened the page. */
export function readApp({ form }: PageRequest): WaitingApp | undefined {
  const given = kinds.flatMap((kind): WaitingApp[] => {
    const pad = form.get(padFields[kind]);
    return pad === undefined ? [] : [{ kind, pad }];
  });
  if (given.some(({ pad }) => !padPattern.test(pad))) throw new ApiError("Invalid OTP");
  if (given.length > 1) throw new ApiError("Can't use both mobile_flow_otp and desktop_flow_otp together.");
  return given[0];
}

/** The app as parameters again, for the next page. */
export const appParameters = (app: WaitingApp | undefined): Record<string, string> =>
  app ? { [padFields[app.kind]]: app.pad } : {};
