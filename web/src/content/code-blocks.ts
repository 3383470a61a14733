/** Code blocks: a language label and a copy button. */
import { t } from "../text/t.ts";
import { iconElement } from "../ui/icon-element.ts";
import { announce } from "../store/announcements.ts";

export function addCodeTools(root: ParentNode): void {
  for (const block of root.querySelectorAll<HTMLElement>(".codehilite")) {
    const tools = document.createElement("div");
    tools.className = "code-tools";
    const language = block.dataset["codeLanguage"];
    if (language !== undefined) {
      const name = document.createElement("span");
      name.textContent = language;
      tools.append(name);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.className = "code-copy";
    button.dataset["tip"] = t("content.copyCode");
    button.setAttribute("aria-label", t("content.copyCode"));
    button.append(iconElement("copy"));
    tools.append(button);
    block.append(tools);
    // Arrow keys scroll long lines.
    const pre = block.querySelector("pre");
    if (pre !== null) pre.tabIndex = 0;
  }
}

export async function copyCode(button: HTMLElement): Promise<void> {
  const text = button.closest(".codehilite")?.querySelector("code")?.textContent ?? "";
  await navigator.clipboard.writeText(text.replace(/\n$/, ""));
  announce(t("content.copied"));
  button.replaceChildren(iconElement("check"));
  setTimeout(() => button.replaceChildren(iconElement("copy")), 1500);
}
