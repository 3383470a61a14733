/** The commands and programs as the pages of the reference print them. */

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
  const blocks = await printedBlocks(site, operation);
  const codeIn = (language: string): string => blocks.find((block) => block.language === language)?.code ?? "";
  return { curl: codeIn("shell"), typescript: codeIn("typescript") };
}

export interface Block {
  label: string;
  language: string;
  code: string;
}

export const blocksIn = (html: string): Block[] =>
  [...html.matchAll(/<pre [^>]*aria-label="(.*?)"><code class="language-(\w+)">(.*?)<\/code>/gs)].map(
    ([, label = "", language = "", code = ""]) => ({ label: text(label), language, code: text(code) }),
  );

export const printedBlocks = async (site: string, page: string): Promise<Block[]> =>
  blocksIn(await (await fetch(`${site}/api/docs/${page}`)).text());
