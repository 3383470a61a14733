/**
 * The session behind the cookie. When the server no longer knows it, requests wait here until the user has logged in again,
 * and are then repeated: nothing on the page is lost.
 *
 * **Invariant:** nothing is changed in the name of another account than the page's. The cookie belongs to the browser, and
 * another tab may have logged in as someone else; so requests carry the token of the session the page knows, which the
 * server refuses for any other session, and a new session is adopted only once it is known to be the same account's.
 */
import { signal } from "@preact/signals";
import { csrfToken } from "./ahead.ts";
import { NoResponse } from "@skein/api/failures.ts";

/** Whether to show the log-in dialog. */
export const isSignedOut = signal(false);

let waiting: (() => void)[] = [];
let knownToken: string | undefined;
let account: { id: number; erase: () => Promise<void> } | undefined;

/** Sets the page's account, and how to erase its data in the browser. */
export function bindAccount(id: number, erase: () => Promise<void>): void {
  account = { id, erase };
}

/** The headers of requests that change something. */
export function sessionToken(): string {
  knownToken ||= csrfToken();
  return knownToken;
}

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

/** Resolves once the browser's session is known to be this account's. For another account the page restarts. */
export async function confirmSession(): Promise<void> {
  if (!(await takeSession())) await signedInAgain();
}

/** False when nobody is signed in. */
async function takeSession(): Promise<boolean> {
  const token = csrfToken();
  const id = await signedInAccount();
  if (id === undefined) return false;
  if (account && account.id !== id) await startOver();
  knownToken = token;
  return true;
}

/** The account of the browser's session; undefined if there is none. */
async function signedInAccount(): Promise<number | undefined> {
  let response: Response;
  try {
    response = await fetch("/json/users/me");
  } catch (cause) {
    throw new NoResponse(undefined, { cause });
  }
  if (response.status === 401) return undefined;
  if (!response.ok) throw new NoResponse(response.status);
  return ((await response.json()) as { user_id: number }).user_id; // by its declaration
}

/** Another account has taken over the browser: erase the first one's data and restart. */
export async function startOver(): Promise<never> {
  await account?.erase();
  location.replace("/");
  // Requests that wait belong to a page that is going away.
  return new Promise<never>(() => undefined);
}

/** After signing in again: what has waited for it goes on. */
export async function resumeSession(): Promise<void> {
  if (!(await takeSession())) throw new NoResponse(401);
  resumeAll();
}

/** Ends the session, erases the account's data in the browser, and goes to the log-in page. */
export async function signOut(): Promise<void> {
  const response = await fetch("/accounts/logout/", {
    method: "POST",
    headers: { accept: "application/json", "x-csrftoken": sessionToken() },
  });
  // The session was already another account's, or gone.
  if (response.status === 403) await confirmSession();
  if (!response.ok && response.status !== 401) throw new NoResponse(response.status);
  await account?.erase();
  location.assign("/login/");
}
