/** How the pages look that hand over to an app on this desktop. */
import { field } from "../../http/pages/fields.ts";
import type { PlainPage } from "../../http/pages/plain-page.ts";
import { markup } from "../../platform/markup.ts";

/** Works without: then one selects and copies by hand. */
const copyScript = `
const [button, given] = [document.getElementById("copy"), document.getElementById("token")];
button.hidden = false;
button.addEventListener("click", async () => {
  given.select();
  try {
    await navigator.clipboard.writeText(given.value);
  } catch {
    document.execCommand("copy");
  }
  button.textContent = "Copied. Go back to the app";
});
`;

export const copyToApp = (sealed: string): PlainPage => ({
  title: "Back to the app",
  script: copyScript,
  body: markup`<p>That was right. Copy this, and go back to the app within a minute: it takes it from there.</p>
${field({
  name: "token",
  label: "For the app",
  value: sealed,
  autocomplete: "off",
  maxLength: sealed.length,
  isFixed: true,
  isFirst: true,
})}
<p><button id="copy" type="button" hidden>Copy</button></p>`,
});
