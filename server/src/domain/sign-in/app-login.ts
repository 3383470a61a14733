/**
 * An app that has opened a browser for somebody to sign in, and waits. It has given a number that only it knows: whatever
 * it is told comes hidden by that, since other programs may hear it as well.
 */
import { ApiError } from "../../errors.ts";
import type { PageRequest } from "../../http/router.ts";

export interface WaitingApp {
  /** Phones are given an API key by an address that the app opens, desktops a token that is copied over to it. */
  kind: "mobile" | "desktop";
  /** The number: 32 bytes, in hexadecimal. */
  pad: string;
}

/** The parameters, and the forms' fields, that carry the number. */
const padFields = { mobile: "mobile_flow_otp", desktop: "desktop_flow_otp" } as const;
const kinds = ["mobile", "desktop"] as const;
const padForm = /^[0-9a-f]{64}$/i;

/** Undefined where no app has opened this. */
export function readApp({ form }: PageRequest): WaitingApp | undefined {
  const given = kinds.flatMap((kind): WaitingApp[] => {
    const pad = form.get(padFields[kind]);
    return pad === undefined ? [] : [{ kind, pad }];
  });
  if (given.some(({ pad }) => !padForm.test(pad))) throw new ApiError("Invalid OTP");
  if (given.length > 1) throw new ApiError("Can't use both mobile_flow_otp and desktop_flow_otp together.");
  return given[0];
}

/** The same as parameters again, for the next page. */
export const appParameters = (app: WaitingApp | undefined): Record<string, string> =>
  app ? { [padFields[app.kind]]: app.pad } : {};
