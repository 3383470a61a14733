/** The buttons under the text. All of them are in the tab order. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import type { Format } from "./formatting.ts";
import styles from "./composer.module.css";

export const formatKeys: Partial<Record<Format, string>> = {
  bold: "Mod+B",
  italic: "Mod+I",
  link: "Mod+Shift+L",
  code: "Mod+Shift+C",
};

const formats: readonly [Format, IconName][] = [
  ["bold", "bold"],
  ["italic", "italic"],
  ["link", "link"],
  ["code", "code"],
  ["list", "list"],
  ["quote", "quote"],
];

interface ToolbarProps {
  isPreview: boolean;
  canPreview: boolean;
  canAttach: boolean;
  onFormat: (format: Format) => void;
  onFiles: (files: FileList) => void;
  onPreview: () => void;
  emojiButton: ComponentChildren;
}

export function Toolbar({ isPreview, canPreview, canAttach, onFormat, onFiles, onPreview, emojiButton }: ToolbarProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div class={styles.tools} role="group" aria-label={t("composer.formatting")}>
      {!isPreview && (
        <>
          {formats.map(([format, icon]) => (
            <IconButton
              key={format}
              icon={icon}
              label={t(`composer.${format}`)}
              keys={formatKeys[format]}
              class={styles.format}
              onClick={() => onFormat(format)}
            />
          ))}
          <span class={styles.divider} />
          {canAttach && (
            <>
              <IconButton icon="paperclip" label={t("composer.addFile")} onClick={() => picker.current?.click()} />
              <input
                ref={picker}
                type="file"
                multiple
                hidden
                aria-label={t("composer.addFile")}
                onChange={({ currentTarget }) => {
                  if (currentTarget.files) onFiles(currentTarget.files);
                  // Choosing the same file again counts as a change.
                  currentTarget.value = "";
                }}
              />
            </>
          )}
          {emojiButton}
        </>
      )}
      {canPreview && (
        <IconButton
          icon={isPreview ? "pencil" : "eye"}
          label={t(isPreview ? "composer.edit" : "composer.preview")}
          keys="Alt+P"
          pressed={isPreview}
          onClick={onPreview}
        />
      )}
    </div>
  );
}
