/** How the pages around signing in with a provider look. */
import { bigLink } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup } from "../../platform/markup.ts";

const tryAgain = bigLink("/login/", "Sign in");

export const unknownAttempt: PlainPage = {
  status: 400,
  title: "Sign in once more",
  body: markup`<p>What came back does not belong to anything begun in this browser in the last minutes. Cookies have to be
allowed.</p>
${tryAgain}`,
};

export const notCompleted: PlainPage = {
  status: 400,
  title: "You are not signed in",
  body: markup`<p>Signing in was not completed there. Try once more, or sign in with your password.</p>
${tryAgain}`,
};

export const noAnswer: PlainPage = {
  status: 502,
  title: "That did not work",
  body: markup`<p>Who you sign in with gave no answer that could be used. Try again in a while, or tell whoever runs this
server: its log says more.</p>
${tryAgain}`,
};

export const noAddress: PlainPage = {
  status: 403,
  title: "Your address is not known",
  body: markup`<p>Who you sign in with does not say which e-mail address is yours, or has not made sure of it.</p>
${tryAgain}`,
};

/** Opens the browser, and waits for what is copied there: only the app can read that, and only it knows how to wait. */
const waitScript = `
const { key, pasted } = window.electron_bridge.decrypt_clipboard(1);
const pad = Array.from(key, (byte) => byte.toString(16).padStart(2, "0")).join("");
const address = new URL(window.location.href);
address.searchParams.set("desktop_flow_otp", pad);
const open = () => window.open(address.href, "_blank");
const button = document.getElementById("again");
button.hidden = false;
button.addEventListener("click", open);
open();
pasted.then((token) => {
  window.location.href = "/accounts/login/subdomain/" + encodeURIComponent(token);
});
`;

export const goOnInBrowser: PlainPage = {
  title: "Go on in your browser",
  script: waitScript,
  body: markup`<p>Sign in there, copy what you are shown, and come back: this app takes it from there.</p>
<p><button id="again" type="button" hidden>Open the browser once more</button></p>
<p class="aside"><a href="/login/">Sign in another way</a></p>`,
};
