/** The pages with which people set up a second factor that their organization requires. */
import { field, form, bigLink, problemText } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import type { PageResponse } from "../../../http/page.ts";
import { markup } from "../../../platform/markup.ts";
import type { WaitingApp } from "./app-login.ts";
import { appScheme } from "./mobile-login.ts";
import { passkeyForm, type PasskeyOffer } from "./passkey-view.ts";
import type { Visit } from "./visit.ts";

/** The counterpart of `passkeyScript`: it creates a passkey. */
const newPasskeyScript = `
const passkeyForm = document.getElementById("passkey");
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const createPasskey = async () => {
  const options = JSON.parse(passkeyForm.elements.options.value);
  const { id, type, rawId, response } = await navigator.credentials.create({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      user: { ...options.user, id: toBytes(options.user.id) },
      excludeCredentials: [],
    },
  });
  passkeyForm.elements.credential.value = JSON.stringify({
    id,
    type,
    rawId: toText(rawId),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      attestationObject: toText(response.attestationObject),
      transports: response.getTransports?.() ?? [],
    },
  });
  passkeyForm.elements.options.disabled = true;
  passkeyForm.submit();
};
if (window.PublicKeyCredential) {
  passkeyForm.hidden = false;
  passkeyForm.addEventListener("submit", (event) => {
    event.preventDefault();
    if (performance.now() > 9 * 60_000) location.reload();
    else
      createPasskey().catch((error) => {
        // The person has canceled.
        if (error.name !== "NotAllowedError" && error.name !== "AbortError")
          document.getElementById("passkey-failed").hidden = false;
      });
  });
}
`;

interface SetUpForm {
  visit: Visit;
  app: WaitingApp | undefined;
  totp: { secret: string; sealed: string; url: string };
  passkey: PasskeyOffer;
  problem?: string;
  passkeyProblem?: string;
  status?: number;
}

export const setUpForm = (given: SetUpForm): PlainPage => {
  const { visit, app, totp, passkey, problem, passkeyProblem, status = 200 } = given;
  const { csrfToken, realm } = visit;
  return {
    status,
    title: "Set up a second factor",
    ...(app?.kind === "mobile" ? { formTarget: appScheme } : {}),
    script: newPasskeyScript,
    body: markup`<p>${realm.name} requires a second factor besides your password. Use a passkey or an authenticator app.</p>
${problemText(passkeyProblem)}
${passkeyForm({ csrfToken, passkey, submit: "Create a passkey" })}
<p>With an authenticator app: <a href="${totp.url}">add this account</a> on this device, or enter the key below into the app.</p>
${form({
  csrfToken,
  hidden: { secret: totp.sealed },
  fields: [
    field({
      name: "key",
      label: "Key",
      value: totp.secret,
      autocomplete: "off",
      maxLength: totp.secret.length,
      isFixed: true,
    }),
    field({
      name: "second_factor_code",
      label: "Code",
      autocomplete: "one-time-code",
      maxLength: 100,
      hint: "The six digits that your authenticator app shows.",
      problem,
    }),
  ],
  submit: "Set up the app",
})}
<p class="aside"><a href="/login/">Start over</a></p>`,
  };
};

/** Shows the recovery codes, which are not shown again, and leads to where the sign-in ends (`answer`). */
export const setUpDone = (recoveryCodes: readonly string[], answer: PlainPage | PageResponse): PlainPage => ({
  title: "Save your recovery codes",
  ...("title" in answer && answer.script !== undefined ? { script: answer.script } : {}),
  body: markup`<p>If you lose your second factor, each of these codes signs you in once. Keep them somewhere safe: they are not shown
again.</p>
<pre>${recoveryCodes.join("\n")}</pre>
${"title" in answer ? answer.body : bigLink(answer.headers?.["Location"] ?? "/", "I have saved them. Continue")}`,
});
