/**
 * A URL that gives anybody who has it access to one file for a minute. It contains the account it was issued for, and
 * that account's access is checked again when it is used. It is sealed, so that nobody can forge or read it.
 */
import { z } from "zod";
import type { SecretBox } from "../../../platform/secret-box.ts";

const purpose = "temporary address of a file";
const lifetimeSeconds = 60;

const contents = z.strictObject({ path_id: z.string(), user_id: z.int(), until: z.number() });
type Opened = Pick<z.output<typeof contents>, "path_id" | "user_id">;

export function temporaryUrl(box: SecretBox, { path_id, user_id }: Opened, now = Date.now()): string {
  const until = now + lifetimeSeconds * 1000;
  const token = box.seal(JSON.stringify({ path_id, user_id, until }), purpose);
  return `/user_uploads/temporary/${token}/${path_id.split("/").at(-1)}`;
}

/** The token's content; undefined if it is not ours or has expired. */
export function openToken(box: SecretBox, token: string, now = Date.now()): Opened | undefined {
  const text = box.open(token, purpose);
  const found = text === undefined ? undefined : contents.parse(JSON.parse(text));
  return found && found.until > now ? found : undefined;
}
