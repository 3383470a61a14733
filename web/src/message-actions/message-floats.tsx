/** Renders the floating layer of a message. */
import { EmojiPickerWhenLoaded } from "../emoji/emoji-button.tsx";
import { emoji } from "../store/emoji.ts";
import { findMessage, rowKeyOf, type Message } from "../store/messages.ts";
import { toggleReaction } from "../store/reactions.ts";
import { t } from "../text/t.ts";
import { Menu } from "../ui/menu.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import { closeFloat, float, type Float } from "../commands/floats.ts";
import { ForwardDialog } from "./forward-dialog.tsx";
import { menuEntries } from "./menu-entries.ts";
import { MoveDialog } from "./move-dialog.tsx";
import { RemindDialog } from "./remind-dialog.tsx";
import { ReportDialog } from "./report-dialog.tsx";

export default function MessageFloats() {
  const open = float.value;
  const message = open && findMessage(open.messageId)?.value;
  if (!open || !message) return null;
  return <Open key={`${open.kind} ${open.messageId}`} open={open} message={message} />;
}

function Open({ open, message }: { open: Float; message: Message }) {
  const close = (): void => {
    // A closed layer may request closing again after the next one is open.
    if (float.peek() !== open) return;
    closeFloat();
    requestAnimationFrame(() => returnFocus(message.id));
  };
  switch (open.kind) {
    case "menu":
      return (
        <Menu
          anchor={{ current: open.anchor }}
          label={t("message.actions")}
          place="belowEnd"
          entries={menuEntries(message)}
          onClose={close}
        />
      );
    case "react":
      return (
        <EmojiPickerWhenLoaded
          anchor={{ current: open.anchor }}
          source={emoji}
          onClose={close}
          onChoose={(chosen) => {
            emoji.noteUse(chosen);
            close();
            const { name: emoji_name, emoji_code, reaction_type } = chosen;
            toggleReaction(message, { emoji_name, emoji_code, reaction_type });
          }}
        />
      );
    case "move":
      return <MoveDialog message={message} onClose={close} />;
    case "rename":
      return <MoveDialog message={message} isRenaming onClose={close} />;
    case "delete":
      return <DeleteDialog message={message} onClose={close} />;
    case "remind":
      return <RemindDialog message={message} onClose={close} />;
    case "report":
      return <ReportDialog message={message} onClose={close} />;
    case "forward":
      return <ForwardDialog message={message} onClose={close} />;
  }
}

/** The element that opened it may be hidden by now: then the message itself gets focus. */
function returnFocus(id: number): void {
  if (document.activeElement !== document.body) return;
  document
    .querySelector<HTMLElement>(`article[data-key="${CSS.escape(rowKeyOf(id))}"]`)
    ?.focus({ preventScroll: true });
}
