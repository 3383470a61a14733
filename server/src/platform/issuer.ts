/** Reads the setting with the issuer URL of an OpenID Connect provider. It must use TLS unless it is on this machine. */
export function readIssuer(value: string): string {
  if (value === "") return value;
  const url = URL.parse(value);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(url?.hostname ?? "");
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && isHere)) throw new Error("must begin with https://");
  if (url.search !== "" || url.hash !== "") throw new Error("must contain neither ? nor #");
  return value.replace(/\/+$/, "");
}
