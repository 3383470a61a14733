/** The commands and programs as the reference page of an operation prints them. */

const text = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");

export interface Printed {
  curl: string;
  typescript: string;
}

export async function printedExample(site: string, operation: string): Promise<Printed> {
  const html = await (await fetch(`${site}/api/docs/${operation}`)).text();
  const codeIn = (language: string): string =>
    text(new RegExp(`<div class="in-${language}">.*?<code>(.*?)</code>`, "s").exec(html)?.[1] ?? "");
  return { curl: codeIn("curl"), typescript: codeIn("typescript") };
}
