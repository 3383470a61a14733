/** The reader's bots: create, change, turn off and on. */
import "../text/chunks/controls.ts";
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { creatableKinds, endBot, kindOf, ownBots, reviveBot, type Bot } from "../store/bots.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { Empty } from "../ui/empty.tsx";
import { FieldError } from "../ui/field.tsx";
import { BotDetails } from "./bot-details.tsx";
import { CreateBotDialog } from "./create-bot-dialog.tsx";
import styles from "./settings.module.css";

export default function Bots() {
  const [isCreating, setCreating] = useState(false);
  const bots = ownBots();
  const canCreate = creatableKinds().length > 0;
  const create = canCreate && (
    <Button kind="primary" icon="plus" onClick={() => setCreating(true)}>
      {t("bots.create")}
    </Button>
  );
  return (
    <section class={styles.group} id={elementId("bots")}>
      {bots.length === 0 ? (
        <Empty icon="bot" title={t("bots.none")}>
          <p>{t(canCreate ? "bots.none.hint" : "bots.notAllowed")}</p>
          {create}
        </Empty>
      ) : (
        <>
          <p class={styles.note}>{t("bots.about")}</p>
          <ul class={styles.list}>
            {bots.map((bot) => (
              <BotRow key={bot.user_id} bot={bot} />
            ))}
          </ul>
          {create || <p class={styles.note}>{t("bots.notAllowed")}</p>}
        </>
      )}
      {isCreating && <CreateBotDialog onClose={() => setCreating(false)} />}
    </section>
  );
}

function BotRow({ bot }: { bot: Bot }) {
  const [isOpen, setOpen] = useState(false);
  const [isEnding, setEnding] = useState(false);
  const { error, save } = useSaving();
  const { user_id, full_name, email, avatar_url, is_active } = bot;
  return (
    <li class={styles.item}>
      <div class={styles.row}>
        <Avatar name={full_name} src={avatar_url} size={32} />
        <div class={styles.main}>
          <span dir="auto">{full_name}</span>
          <span class={styles.detail}>
            {t(`bots.kind.${kindOf(bot)}`)} · {email}
            {!is_active && ` · ${t("bots.inactive")}`}
          </span>
          <FieldError id={`bot-${user_id}-error`} error={error} />
        </div>
        <div class={styles.buttons}>
          {is_active ? (
            <>
              <Button
                aria-expanded={isOpen}
                aria-label={t("bots.editOne", { name: full_name })}
                onClick={() => setOpen(!isOpen)}
              >
                {t("bots.edit")}
              </Button>
              <Button
                kind="quiet"
                aria-label={t("bots.deactivateOne", { name: full_name })}
                onClick={() => setEnding(true)}
              >
                {t("bots.deactivate")}
              </Button>
            </>
          ) : (
            <Button
              aria-label={t("bots.reactivateOne", { name: full_name })}
              onClick={() => void save(() => reviveBot(user_id))}
            >
              {t("bots.reactivate")}
            </Button>
          )}
        </div>
      </div>
      {isOpen && is_active && <BotDetails bot={bot} />}
      {isEnding && (
        <DangerDialog
          title={t("bots.deactivateOne", { name: full_name })}
          action={t("bots.deactivate")}
          run={() => endBot(user_id)}
          onClose={() => setEnding(false)}
        >
          <p>{t("bots.deactivate.effect")}</p>
        </DangerDialog>
      )}
    </li>
  );
}
