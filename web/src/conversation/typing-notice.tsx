/** Who is typing here, in a line that always takes up space, so that nothing moves. Not announced. */
import type { Conversation } from "../store/conversations.ts";
import { findPerson } from "../store/people.ts";
import { writersIn } from "../store/typing.ts";
import { listNames } from "../text/names.ts";
import { t } from "../text/t.ts";
import styles from "./typing-notice.module.css";

export function TypingNotice({ conversation }: { conversation: Conversation }) {
  const writers = writersIn(conversation);
  const names = listNames(writers.map((id) => findPerson(id).full_name));
  return <div class={styles.notice}>{writers.length > 0 && t("typing.notice", { names, count: writers.length })}</div>;
}
