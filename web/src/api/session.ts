/**
 * The session behind the cookie. When the server no longer knows it, requests wait here until somebody has logged in
 * again, and are then made anew: nothing on the page is lost meanwhile.
 */
import { signal } from "@preact/signals";
import { csrfToken } from "./ahead.ts";

/** Whether the log-in dialog is to be shown. */
export const isSignedOut = signal(false);

let waiting: (() => void)[] = [];

export function signedInAgain(): Promise<void> {
  isSignedOut.value = true;
  return new Promise((resume) => waiting.push(resume));
}

function resumeAll(): void {
  isSignedOut.value = false;
  const resumed = waiting;
  waiting = [];
  for (const resume of resumed) resume();
}

export type SignIn = { ok: true } | { ok: false; reason: string };

export async function signIn(email: string, password: string): Promise<SignIn> {
  const body = new URLSearchParams({ username: email, password, csrfmiddlewaretoken: csrfToken(), next: "/" });
  const response = await fetch("/accounts/login/", {
    method: "POST",
    headers: { accept: "application/json", "x-csrftoken": csrfToken() },
    body,
  });
  const answer = (await response.json()) as { result?: string; msg?: string }; // as all our JSON answers
  if (!response.ok || answer.result === "error") return { ok: false, reason: answer.msg ?? response.statusText };
  resumeAll();
  return { ok: true };
}

/** Ends the session and leaves for the log-in page. */
export async function signOut(): Promise<void> {
  await fetch("/accounts/logout/", { method: "POST", headers: { "x-csrftoken": csrfToken() } });
  location.assign("/login/");
}
