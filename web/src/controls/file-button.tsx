/** A button that lets the user choose a file. */
import { useRef } from "preact/hooks";
import { Button } from "../ui/button.tsx";

interface FileButtonProps {
  children: string;
  /** Names the button if its text alone does not say what it is for. */
  label?: string;
  accept: string;
  busy?: boolean;
  onChoose: (file: File) => void;
}

export const imageTypes = "image/png,image/jpeg,image/gif,image/webp,image/avif";

export function FileButton({ children, label, accept, busy = false, onChoose }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button icon="upload" busy={busy} aria-label={label} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          // The same file can be chosen again.
          event.currentTarget.value = "";
          if (file) onChoose(file);
        }}
      />
    </>
  );
}
