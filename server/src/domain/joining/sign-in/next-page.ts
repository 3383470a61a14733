const here = "http://here.invalid";

/**
 * The path to open after signing in; always one on this server. Parsed as browsers parse it: they read `//x`, `/\x` and a
 * tab in between as another host.
 */
export function nextPage(requested: string | undefined): string {
  const url = URL.parse(requested ?? "", here);
  if (!requested?.startsWith("/") || url?.origin !== here) return "/";
  return url.pathname.startsWith("//") ? "/" : `${url.pathname}${url.search}${url.hash}`;
}
