/** Chooses the recipients of a direct message, as chips; users can choose themselves, for notes. */
import "../text/chunks/people.ts";
import { useState } from "preact/hooks";
import { conversationAddress, go } from "../navigation/router.ts";
import { directConversation } from "../store/conversations.ts";
import { ownId } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { idsOf, suggestPeople } from "../parts/people-chips.ts";

export default function NewDirectDialog({ onClose }: { onClose: () => void }) {
  const [people, setPeople] = useState<Chip[]>([]);
  const open = (): void => {
    if (people.length === 0) return;
    onClose();
    go(conversationAddress(directConversation(idsOf(people), ownId.peek())));
  };
  return (
    <Dialog
      title={t("direct.new")}
      onClose={onClose}
      onSubmit={open}
      actions={
        <Button kind="primary" type="submit" aria-disabled={people.length === 0}>
          {t("direct.open")}
        </Button>
      }
    >
      <ChipsField label={t("direct.to")} chips={people} onChange={setPeople} suggest={suggestPeople} autofocus />
    </Dialog>
  );
}
