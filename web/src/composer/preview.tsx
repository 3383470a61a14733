/** The rendered text. The previous rendering stays until the new one arrives. */
import { useEffect, useState } from "preact/hooks";
import { MessageContent } from "../content/message-content.tsx";
import { t } from "../text/t.ts";
import styles from "./composer.module.css";

interface PreviewProps {
  text: string;
  render: (text: string) => string | Promise<string>;
}

type Rendering = { html: string } | { failed: true } | undefined;

export function Preview({ text, render }: PreviewProps) {
  const [rendering, setRendering] = useState<Rendering>();
  useEffect(() => {
    let isCurrent = true;
    const show = (next: Rendering): void => {
      if (isCurrent) setRendering(next);
    };
    void (async () => {
      try {
        show({ html: await render(text) });
      } catch {
        show({ failed: true });
      }
    })();
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <div
      class={styles.preview}
      role="region"
      aria-label={t("composer.preview")}
      tabIndex={0}
      aria-busy={rendering === undefined}
    >
      {text.trim() === "" ? (
        <p class={styles.note}>{t("composer.nothingToPreview")}</p>
      ) : rendering === undefined ? null : "failed" in rendering ? (
        <p class={styles.note}>{t("composer.previewFailed")}</p>
      ) : (
        <MessageContent html={rendering.html} />
      )}
    </div>
  );
}
