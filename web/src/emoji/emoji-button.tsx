/** A button that opens the emoji picker, which is loaded on first use. */
import type { ComponentType } from "preact";
import { useRef, useState } from "preact/hooks";
import { IconButton } from "../ui/button.tsx";
import type { IconName } from "../ui/icon.tsx";
import type { Anchor } from "../ui/popover.tsx";
import type { Emoji, EmojiSource } from "../text/emoji.ts";

export interface EmojiPickerProps {
  anchor: Anchor;
  source: EmojiSource;
  onChoose: (emoji: Emoji) => void;
  onClose: () => void;
}

let Picker: ComponentType<EmojiPickerProps> | undefined;

/** Shows nothing until its chunk is loaded. */
export function EmojiPickerWhenLoaded(props: EmojiPickerProps) {
  const [isLoaded, setLoaded] = useState(Picker !== undefined);
  if (!isLoaded) {
    void import("./picker.tsx").then((loaded) => {
      Picker = loaded.EmojiPicker;
      setLoaded(true);
    });
  }
  return Picker ? <Picker {...props} /> : null;
}

interface EmojiButtonProps {
  source: EmojiSource;
  label: string;
  onChoose: (emoji: Emoji) => void;
  icon?: IconName;
  keys?: string;
  class?: string;
}

export function EmojiButton({ source, label, onChoose, icon = "smile", keys, class: className }: EmojiButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  return (
    <>
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        keys={keys}
        class={className}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerDown={(event) => isOpen && event.preventDefault()}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <EmojiPickerWhenLoaded
          anchor={button}
          source={source}
          onClose={() => setOpen(false)}
          onChoose={(emoji) => {
            setOpen(false);
            onChoose(emoji);
          }}
        />
      )}
    </>
  );
}
