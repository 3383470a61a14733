/**
 * Conveniences of the reference: copy buttons, search while typing, and remembering the language of the examples. A constant,
 * which the pages' policy allows by its hash; everything can be read without it.
 */
export const referenceScript = `
for (const button of document.querySelectorAll(".copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.closest("figure").querySelector("code").textContent);
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
const languages = [...document.querySelectorAll(".tabs > input")];
try {
  const chosen = localStorage.getItem("reference-language");
  for (const input of languages) {
    if (input.value === chosen) input.checked = true;
    input.addEventListener("change", () => localStorage.setItem("reference-language", input.value));
  }
} catch {}
const side = document.querySelector(".side");
const here = side.querySelector("[aria-current]");
if (here) side.scrollTop = here.offsetTop - side.clientHeight / 2;
const search = document.querySelector(".search input");
const sections = [...document.querySelectorAll(".side details")].map((details) => ({
  details,
  wasOpen: details.open,
  links: [...details.querySelectorAll("a")].map((link) => ({
    link, text: (link.textContent + " " + link.getAttribute("href")).toLowerCase(),
  })),
}));
function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const { details, wasOpen, links } of sections) {
    let shown = 0;
    for (const { link, text } of links) {
      const isShown = words.every((word) => text.includes(word));
      link.parentElement.hidden = !isShown;
      if (isShown) shown++;
    }
    details.hidden = shown === 0;
    details.open = words.length > 0 ? shown > 0 : wasOpen;
  }
}
search?.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea")) return;
  event.preventDefault();
  search?.focus();
});
`;
