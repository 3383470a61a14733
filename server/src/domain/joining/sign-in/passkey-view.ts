/** The button with which a page asks for a passkey. It needs a script: browsers hand passkeys to scripts alone. */
import { form } from "../../../http/pages/fields.ts";
import { markup, type Html } from "../../../platform/markup.ts";

/**
 * Shows the form if the browser knows passkeys, and fills it in when it is submitted. A page that was open for long is
 * loaded again first, because its challenge has expired.
 */
export const passkeyScript = `
const passkeyForm = document.getElementById("passkey");
const toBytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
const toText = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
const usePasskey = async () => {
  const options = JSON.parse(passkeyForm.elements.options.value);
  const { id, type, rawId, response } = await navigator.credentials.get({
    publicKey: {
      ...options,
      challenge: toBytes(options.challenge),
      allowCredentials: (options.allowCredentials ?? []).map((known) => ({ ...known, id: toBytes(known.id) })),
    },
  });
  passkeyForm.elements.credential.value = JSON.stringify({
    id,
    type,
    rawId: toText(rawId),
    response: {
      clientDataJSON: toText(response.clientDataJSON),
      authenticatorData: toText(response.authenticatorData),
      signature: toText(response.signature),
      userHandle: response.userHandle ? toText(response.userHandle) : null,
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
      usePasskey().catch((error) => {
        // The person has canceled.
        if (error.name !== "NotAllowedError" && error.name !== "AbortError")
          document.getElementById("passkey-failed").hidden = false;
      });
  });
}
`;

export interface PasskeyOffer {
  options: Record<string, unknown>;
  state: string;
}

interface PasskeyForm {
  action?: string;
  csrfToken: string;
  hidden?: Record<string, string | undefined>;
  passkey: PasskeyOffer;
  submit: string;
}

export const passkeyForm = ({ hidden = {}, passkey: { options, state }, ...given }: PasskeyForm): Html =>
  form({
    ...given,
    id: "passkey",
    hidden: { ...hidden, options: JSON.stringify(options), state, credential: "" },
    fields: [
      markup`<p class="problem" role="alert" id="passkey-failed" hidden>Your browser could not use a passkey here.</p>`,
    ],
  });
