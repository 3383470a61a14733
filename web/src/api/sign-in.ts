/** Signs in again, when the session has ended. */
import { csrfToken } from "./ahead.ts";
import { resumeSession } from "./session.ts";

export type SignIn = { ok: true } | { ok: false; reason: string; needsCode: boolean };

/** `code`: of the authenticator app, for accounts that have one. */
export async function signIn(email: string, password: string, code = ""): Promise<SignIn> {
  const body = new URLSearchParams({ username: email, password, csrfmiddlewaretoken: csrfToken(), next: "/" });
  if (code !== "") body.set("second_factor_code", code);
  const response = await fetch("/accounts/login/", {
    method: "POST",
    headers: { accept: "application/json", "x-csrftoken": csrfToken() },
    body,
  });
  const outcome = (await response.json()) as { result?: string; msg?: string; code?: string }; // like all our JSON responses
  if (!response.ok || outcome.result === "error") {
    const needsCode = outcome.code === "SECOND_FACTOR_REQUIRED";
    return { ok: false, reason: outcome.msg ?? response.statusText, needsCode };
  }
  await resumeSession();
  return { ok: true };
}
