/** The page for desktop apps, whose own window providers do not accept. */
import { form } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";

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
