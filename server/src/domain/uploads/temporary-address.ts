/**
 * An address that opens one file for a minute, to whoever has it. It says in whose name it was given out, and that
 * account's right is looked at again when it is used. Sealed, so that nobody can make one or look into it.
 */
import { z } from "zod";
import type { SecretBox } from "../../platform/secret-box.ts";

const purpose = "temporary address of a file";
const lifeSeconds = 60;

const contents = z.strictObject({ path_id: z.string(), user_id: z.int(), until: z.number() });
type Opened = Pick<z.output<typeof contents>, "path_id" | "user_id">;

export function temporaryAddress(box: SecretBox, { path_id, user_id }: Opened, now = Date.now()): string {
  const until = now + lifeSeconds * 1000;
  const token = box.seal(JSON.stringify({ path_id, user_id, until }), purpose);
  return `/user_uploads/temporary/${token}/${path_id.split("/").at(-1)}`;
}

/** What the token opens; undefined when we did not make it, or its time is over. */
export function openToken(box: SecretBox, token: string, now = Date.now()): Opened | undefined {
  const text = box.open(token, purpose);
  const found = text === undefined ? undefined : contents.parse(JSON.parse(text));
  return found && found.until > now ? found : undefined;
}
