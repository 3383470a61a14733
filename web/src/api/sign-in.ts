/** Signs in again, when the session has ended. */
import { csrfToken } from "./ahead.ts";
import { signWithPasskey } from "./passkey.ts";
import { resumeSession } from "./session.ts";

/**
 * `factors`: which second factors are accepted, if one of them is missing. `setUpPath`: the page on which the account sets
 * one up, which it has to before it can sign in.
 */
export type SignIn = { ok: true } | { ok: false; reason: string; factors?: readonly string[]; setUpPath?: string };

/** `code`: of the authenticator app, for accounts that have one. */
export async function signIn(email: string, password: string, code = ""): Promise<SignIn> {
  const body = new URLSearchParams({
    username: email,
    password,
    csrfmiddlewaretoken: csrfToken(),
    next: `/${location.hash}`,
  });
  if (code !== "") body.set("second_factor_code", code);
  return send("/accounts/login/", body);
}

/** Throws NoPasskey if the user cancels. */
export async function signInWithPasskey(): Promise<SignIn> {
  const response = await fetch(passkeyUrl, { headers: { accept: "application/json" } });
  const { options, state, msg } = (await response.json()) as Partial<PasskeyOffer> & { msg?: string }; // by its page
  if (!options || state === undefined) return { ok: false, reason: msg ?? response.statusText };
  const credential = JSON.stringify(await signWithPasskey(options));
  return send(passkeyUrl, new URLSearchParams({ state, credential, csrfmiddlewaretoken: csrfToken() }));
}

interface PasskeyOffer {
  options: Record<string, unknown>;
  state: string;
}

const passkeyUrl = "/accounts/login/passkey/";

async function send(url: string, body: URLSearchParams): Promise<SignIn> {
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json", "x-csrftoken": csrfToken() },
    body,
  });
  const outcome = (await response.json()) as Outcome; // like all our JSON responses
  if (!response.ok || outcome.result === "error") {
    const { msg: reason = response.statusText, code, second_factors = [], setup_url } = outcome;
    return {
      ok: false,
      reason,
      ...(code === "SECOND_FACTOR_REQUIRED" ? { factors: second_factors } : {}),
      ...(code === "SECOND_FACTOR_SETUP_REQUIRED" && setup_url !== undefined
        ? { setUpPath: new URL(setup_url).pathname }
        : {}),
    };
  }
  await resumeSession();
  return { ok: true };
}

interface Outcome {
  result?: string;
  msg?: string;
  code?: string;
  second_factors?: string[];
  setup_url?: string;
}
