/** A text to try linkifiers on: shows the links as it is typed. */
import "../text/chunks/organization-lists.ts";
import { signal } from "@preact/signals";
import { announce } from "../store/announcements.ts";
import { t } from "../text/t.ts";
import { TextArea } from "../ui/field.tsx";
import styles from "./linkifier-test.module.css";
import { linkify, type LinkifierText, type Piece } from "./linkify.ts";
import { PatternError } from "./re2.ts";

/** Kept while patterns are changed. */
const tried = signal("");
const maxLength = 1000;

function attempt(text: string, linkifiers: readonly LinkifierText[]): Piece[] | string {
  try {
    return linkify(text, linkifiers);
  } catch (error) {
    if (error instanceof PatternError) return t("organization.linkifiers.test.invalid", { reason: error.message });
    throw error;
  }
}

export function LinkifierTest({ linkifiers }: { linkifiers: readonly LinkifierText[] }) {
  const result = attempt(tried.value, linkifiers);
  const links = typeof result === "string" ? [] : result.flatMap((piece) => ("url" in piece ? [piece] : []));
  return (
    <>
      <TextArea
        label={t("organization.linkifiers.test.text")}
        hint={t("organization.linkifiers.test.hint")}
        value={tried.value}
        rows={2}
        maxLength={maxLength}
        onInput={(event) => {
          tried.value = event.currentTarget.value;
        }}
        onBlur={() => tried.value !== "" && announce(t("organization.linkifiers.test.count", { count: links.length }))}
      />
      {tried.value !== "" && (
        <div class={styles.result}>
          {typeof result === "string"
            ? result
            : result.map((piece, index) =>
                "url" in piece ? (
                  <a key={index} href={piece.url} target="_blank" rel="noopener noreferrer">
                    {piece.text}
                  </a>
                ) : (
                  piece.text
                ),
              )}
          {typeof result !== "string" && links.length === 0 && (
            <div class={styles.links}>{t("organization.linkifiers.test.none")}</div>
          )}
          {links.length > 0 && (
            <ul class={styles.links} aria-label={t("organization.linkifiers.test.links")}>
              {links.map(({ text, url }, index) => (
                <li key={index}>
                  {text} → {url}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </>
  );
}
