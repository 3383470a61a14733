/** Files that people attach. */
import sharp from "sharp";
import type { TestUser } from "../../server/test/realm.ts";

/** An image of some size. */
export const picture = (): Promise<Buffer> =>
  sharp({ create: { width: 600, height: 400, channels: 3, background: "#0b6b60" } })
    .png()
    .toBuffer();

/** The server's URL of an upload, for a link in a message. */
export async function uploadAs(user: TestUser, name: string, bytes: Buffer): Promise<string> {
  const { url } = await user.upload("/user_uploads", { [name]: bytes });
  if (typeof url !== "string") throw new Error(`${name} was not taken`);
  return url;
}
