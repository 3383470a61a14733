/** Names of files in an archive: as text, and safe to use. */
import { ArchiveRefused } from "../source.ts";

/** The upper half of code page 437, which zip files use for names that are not UTF-8. */
const upperHalf =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 if it is valid, else code page 437. The flag that should tell which is wrong in many archives. */
export function decodeEntryName(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Array.from(bytes, (byte) => (byte < 128 ? String.fromCharCode(byte) : (upperHalf[byte - 128] ?? ""))).join(
      "",
    );
  }
}

/** The name without superfluous separators. Throws if it could lead out of the archive. */
export function checkEntryName(name: string): string {
  const problem = problemOf(name);
  if (problem !== undefined)
    throw new ArchiveRefused(
      `The archive contains ${JSON.stringify(name.slice(0, 200))}, ${problem}. Nothing in it can be trusted.`,
    );
  return isTidy.test(name)
    ? name
    : name
        .split("/")
        .filter((part) => part !== "" && part !== ".")
        .join("/");
}

const isTidy = /^[^./][^/]*(?:\/[^./][^/]*)*$/;

function problemOf(name: string): string | undefined {
  if (name.includes("\0")) return "a name with a NUL byte";
  if (name.includes("\\")) return "a name with a backslash";
  if (name.startsWith("/") || /^[A-Za-z]:\//.test(name)) return "an absolute path";
  if (name.includes("..") && name.split("/").includes("..")) return "a path that leaves the archive";
  return undefined;
}

/** Left behind by file managers. */
export const isClutter = (name: string): boolean =>
  name.includes("__MACOSX/") || name.endsWith(".DS_Store") || /(?:^|\/)\._[^/]*$/.test(name);

/** Whether a path inside of a folder of the archive stays there. */
export const staysInside = (path: string): boolean => problemOf(path) === undefined;
