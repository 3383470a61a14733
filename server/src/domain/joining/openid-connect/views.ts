/** The pages around signing in with a provider. */
import { bigLink, form } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";

const tryAgain = bigLink("/login/", "Sign in");

export const unknownAttempt: PlainPage = {
  status: 400,
  title: "Please sign in again",
  body: markup`<p>This sign-in was not started in this browser, or it has expired. If it happens again, check that your browser
allows cookies for this site.</p>
${tryAgain}`,
};

export const notCompleted: PlainPage = {
  status: 400,
  title: "You are not signed in",
  body: markup`<p>The sign-in was not completed. Try again, or sign in with your password.</p>
${tryAgain}`,
};

export const providerFailed: PlainPage = {
  status: 502,
  title: "Sign-in failed",
  body: markup`<p>The identity provider returned no valid response. Try again later. If it keeps failing, ask your administrator
to check the server log.</p>
${tryAgain}`,
};

export const noVerifiedAddress: PlainPage = {
  status: 403,
  title: "No verified e-mail address",
  body: markup`<p>The identity provider sent no verified e-mail address for you. Verify your address there, then sign in
again.</p>
${tryAgain}`,
};

/** Opens the browser and waits until the user has copied the code there. The app decrypts the clipboard. */
const waitScript = `
const { key, pasted } = window.electron_bridge.decrypt_clipboard(1);
const pad = Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("");
const url = new URL(window.location.href);
url.searchParams.set("desktop_flow_otp", pad);
const open = () => window.open(url.href, "_blank");
const button = document.getElementById("again");
button.hidden = false;
button.addEventListener("click", open);
open();
const loginForm = document.querySelector("form");
pasted.then((token) => {
  loginForm.action = "/accounts/login/subdomain/" + encodeURIComponent(token) + "/";
  loginForm.submit();
});
`;

export const continueInBrowser = (csrfToken: string): PlainPage => ({
  title: "Continue in your browser",
  script: waitScript,
  body: markup`<p>Sign in there, copy the code that is shown, and come back to this app.</p>
<p><button id="again" type="button" hidden>Reopen the browser</button></p>
<div hidden>${form({ csrfToken, fields: [], submit: "Continue" })}</div>
<p class="aside"><a href="/login/">Sign in another way</a></p>`,
});
