/** A square picture that the user chooses and crops. */
import "../text/chunks/controls.ts";
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { FieldError, SavedNote } from "../ui/field.tsx";
import { CropDialog } from "./crop-dialog.tsx";
import styles from "./picture-field.module.css";
import { useSaving } from "./use-saving.ts";

interface PictureFieldProps {
  label: string;
  hint?: string | undefined;
  /** The picture as it is now. */
  children: ComponentChildren;
  disabled?: boolean;
  /** Rejects when the picture is refused. */
  onChoose: (picture: File) => Promise<unknown>;
  /** Absent if there is nothing to remove. */
  onRemove?: (() => Promise<unknown>) | undefined;
}

export function PictureField({ label, hint, children, disabled = false, onChoose, onRemove }: PictureFieldProps) {
  const { saved, error, save } = useSaving();
  const [isBusy, setBusy] = useState(false);
  const [chosen, setChosen] = useState<File>();
  const input = useRef<HTMLInputElement>(null);
  const run = async (request: () => Promise<unknown>): Promise<void> => {
    setBusy(true);
    await save(request);
    setBusy(false);
  };
  return (
    <div class={styles.field} role="group" aria-label={label}>
      {children}
      <div class={styles.side}>
        <div class={styles.label}>
          {label} <SavedNote saved={saved} />
        </div>
        {!disabled && (
          <div class={styles.buttons}>
            <Button icon="upload" busy={isBusy} onClick={() => input.current?.click()}>
              {t("picture.choose")}
            </Button>
            {onRemove && (
              <Button kind="quiet" icon="trash-2" busy={isBusy} onClick={() => void run(onRemove)}>
                {t("picture.remove")}
              </Button>
            )}
          </div>
        )}
        {hint !== undefined && <div class={styles.hint}>{hint}</div>}
        <FieldError id="picture-error" error={error} />
      </div>
      <input
        ref={input}
        type="file"
        accept="image/*"
        hidden
        onChange={(event) => {
          setChosen(event.currentTarget.files?.[0]);
          // So that the same file can be chosen again.
          event.currentTarget.value = "";
        }}
      />
      {chosen && (
        <CropDialog
          file={chosen}
          onClose={() => setChosen(undefined)}
          onCropped={(picture) => {
            setChosen(undefined);
            void run(() => onChoose(picture));
          }}
        />
      )}
    </div>
  );
}
