/** The uploaded files a message links to. */
import { toFragment } from "../content/insert.ts";

export interface LinkedFile {
  address: string;
  name: string;
  /** For an image. */
  thumbnail: string | undefined;
}

export function filesIn(html: string): LinkedFile[] {
  const files = new Map<string, LinkedFile>();
  for (const link of toFragment(html).querySelectorAll<HTMLAnchorElement>('a[href*="/user_uploads/"]')) {
    const address = link.getAttribute("href") ?? "";
    const known = files.get(address);
    const file = address.split("/").at(-1) ?? "";
    const text = link.textContent.trim();
    const thumbnail = link.querySelector("img")?.getAttribute("src") ?? known?.thumbnail;
    files.set(address, { address, name: known?.name || text || link.title || file, thumbnail });
  }
  return [...files.values()];
}
