/** A person's status. */
import type { UserStatus } from "@skein/api/status.ts";
import { glyphOf } from "../text/glyph.ts";
import { part } from "../store/state.ts";
import styles from "./status.module.css";

export function Status({ userId }: { userId: number }) {
  const status = part("user_status").value?.[String(userId)];
  if (!status) return null;
  return (
    <span class={styles.status}>
      <StatusEmoji status={status} />
      <span class={styles.text} dir="auto">
        {status.status_text}
      </span>
    </span>
  );
}

export function StatusEmoji({ status: { reaction_type, emoji_code, emoji_name } }: { status: UserStatus }) {
  if (emoji_code === undefined || emoji_code === "") return null;
  const glyph = reaction_type === "unicode_emoji" ? glyphOf(emoji_code) : undefined;
  if (glyph !== undefined) return <span class={styles.glyph}>{glyph}</span>;
  const image = part("realm_emoji").value?.[emoji_code]?.source_url;
  return image === undefined ? null : <img class={styles.image} src={image} alt={emoji_name ?? ""} />;
}
