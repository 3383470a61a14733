/** The menu of the arrow beside Send: when the server shall send the message. The draft stays until the server has it. */
import "../text/chunks/fields.ts";
import "../text/chunks/conversation.ts";
import { useEffect, useState } from "preact/hooks";
import type { SendLaterMenu } from "../composer/composer.tsx";
import { addressOf, go } from "../navigation/router.ts";
import type { Conversation } from "../store/conversations.ts";
import { draftOf, replaceDraft } from "../store/drafts.ts";
import { reasonOf } from "../store/reasons.ts";
import { ownZone, schedule } from "../store/scheduled.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { timeOfDay, writtenTime } from "../text/time.ts";
import { laterTimes } from "../text/zones.ts";
import { Menu, type MenuEntry } from "../ui/menu.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";

export interface ScheduleMenuProps extends SendLaterMenu {
  conversation: Conversation;
  /** The conversation that its draft is stored for, if it is another. */
  draftIn?: Conversation;
  onScheduled?: () => void;
}

export default function ScheduleMenu(props: ScheduleMenuProps) {
  const { conversation, draftIn = conversation, anchor, text, onClose, onScheduled } = props;
  // Choosing an entry closes the menu first.
  const [shown, setShown] = useState<"menu" | "dialog" | "nothing">("menu");
  useEffect(() => {
    if (shown === "nothing") onClose();
  }, [shown]);
  const zone = ownZone();

  const save = async (at: number): Promise<void> => {
    if (text === undefined) return;
    await schedule(conversation, text, at);
    if (draftOf(draftIn)?.text.trim() === text) replaceDraft(draftIn, "");
    onScheduled?.();
    toast(t("scheduled.done", { time: writtenTime(at, zone) }), {
      action: { label: t("scheduled.show"), run: () => go(addressOf({ kind: "scheduled" })) },
    });
  };
  const choose = (at: number) => (): void => {
    save(at).catch((error: unknown) => toast(t("scheduled.failed", { reason: reasonOf(error) }), { kind: "danger" }));
  };

  if (shown === "nothing") return null;
  if (shown === "dialog") return <ScheduleDialog title={t("scheduled.pickTitle")} onSave={save} onClose={onClose} />;
  const { inAnHour, tomorrow, monday } = laterTimes(Date.now() / 1000, zone);
  const entry = (label: string, at: number): MenuEntry => ({
    label,
    icon: "clock",
    hint: writtenTime(at, zone),
    disabled: text === undefined,
    onSelect: choose(at),
  });
  return (
    <Menu
      anchor={anchor}
      label={t("composer.moreWaysToSend")}
      place="aboveEnd"
      // Called again once the popover is gone.
      onClose={() => setShown((now) => (now === "menu" ? "nothing" : now))}
      entries={[
        { heading: t("scheduled.zone", { zone }) },
        entry(t("scheduled.inAnHour"), inAnHour),
        entry(t("scheduled.tomorrow", { time: timeOfDay(tomorrow, zone) }), tomorrow),
        ...(monday === undefined ? [] : [entry(t("scheduled.monday", { time: timeOfDay(monday, zone) }), monday)]),
        {
          label: t("scheduled.pick"),
          icon: "calendar-clock",
          disabled: text === undefined,
          onSelect: () => setShown("dialog"),
        },
        "line",
        { label: t("scheduled.all"), icon: "list", onSelect: () => go(addressOf({ kind: "scheduled" })) },
      ]}
    />
  );
}
