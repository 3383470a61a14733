const here = "http://here.invalid";

/**
 * Where to go after signing in: a page of ours, whatever the address said. Read as browsers read it, who take `//x`,
 * `/\x` and a tab in between for another host.
 */
export function nextPage(wanted: string | undefined): string {
  const url = URL.parse(wanted ?? "", here);
  if (!wanted?.startsWith("/") || url?.origin !== here) return "/";
  return url.pathname.startsWith("//") ? "/" : `${url.pathname}${url.search}${url.hash}`;
}
