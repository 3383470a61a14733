/** All keyboard shortcuts, over the page. */
import { t } from "../text/t.ts";
import { Dialog } from "../ui/dialog.tsx";
import { KeyList } from "./key-list.tsx";

export default function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t("keys.title")} width="wide" onClose={onClose}>
      {/* Long on a narrow screen. */}
      <KeyList isFocusable />
    </Dialog>
  );
}
