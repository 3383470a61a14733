/** The page that hands the sign-in over to a desktop app. */
import { field } from "../../../http/pages/fields.ts";
import type { PlainPage } from "../../../http/pages/plain-page.ts";
import { markup } from "../../../platform/markup.ts";

/** Optional: without the script, people select and copy by hand. */
const copyScript = `
const [button, input] = [document.getElementById("copy"), document.getElementById("token")];
button.hidden = false;
button.addEventListener("click", async () => {
  input.select();
  try {
    await navigator.clipboard.writeText(input.value);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = "Copied. Now go back to the app.";
});
`;

export const copyToApp = (sealed: string): PlainPage => ({
  title: "Return to the app",
  script: copyScript,
  body: markup`<p>You are almost signed in. Copy this code and go back to the app within a minute.</p>
${field({
  name: "token",
  label: "Sign-in code",
  value: sealed,
  autocomplete: "off",
  maxLength: sealed.length,
  isFixed: true,
  isFirst: true,
})}
<p><button id="copy" type="button" hidden>Copy</button></p>`,
});
