/** A person's status. */
import { glyphOf } from "../text/glyph.ts";
import { part } from "../store/state.ts";
import styles from "./status.module.css";

export function Status({ userId }: { userId: number }) {
  const status = part("user_status").value?.[String(userId)];
  if (!status) return null;
  const { reaction_type, emoji_code, status_text } = status;
  const glyph = reaction_type === "unicode_emoji" && emoji_code !== undefined ? glyphOf(emoji_code) : undefined;
  return (
    <span class={styles.status}>
      {glyph !== undefined && <span class={styles.glyph}>{glyph}</span>}
      <span class={styles.text} dir="auto">
        {status_text}
      </span>
    </span>
  );
}
