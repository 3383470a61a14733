/** The views of the sidebar: which are shown, and the reader's own ones. */
import "../text/chunks/controls.ts";
import "../text/chunks/fields.ts";
import "../text/chunks/views.ts";
import { useState } from "preact/hooks";
import { ItemList } from "../controls/item-list.tsx";
import { useAction } from "../controls/use-action.ts";
import type { Place } from "../navigation/place.ts";
import { addressOf, go, place, placeAt, wholeAddress } from "../navigation/router.ts";
import { findChannel } from "../store/channels.ts";
import { conversationTitle } from "../store/conversation-title.ts";
import { toastFailure } from "../store/membership.ts";
import { toast } from "../store/toasts.ts";
import { addView, removeView, renameView, showView } from "../store/view-changes.ts";
import { allViews, type View } from "../store/views.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { CheckField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { TextField } from "../ui/field.tsx";
import { nameOf } from "./view-rows.tsx";
import styles from "./views-dialog.module.css";

const maxNameLength = 100;

export default function ViewsDialog({ onClose }: { onClose: () => void }) {
  const [renamed, setRenamed] = useState<View>();
  return (
    <Dialog title={t("views.title")} onClose={onClose}>
      <p class={styles.hint}>{t("views.hint")}</p>
      <div class={styles.list}>
        <ItemList
          label={t("views.title")}
          items={allViews()}
          keyOf={({ fragment }) => fragment}
          nameOf={nameOf}
          render={(view) => (
            <CheckField
              label={nameOf(view)}
              checked={view.isShown}
              onChange={(isShown) => toastFailure(showView(view, isShown))}
            />
          )}
          actions={(view) => (
            <>
              <IconButton
                icon="arrow-right"
                label={t("views.open", { name: nameOf(view) })}
                onClick={() => {
                  onClose();
                  go(addressOf(placeAt(view.fragment)));
                }}
              />
              {view.name !== null && (
                <>
                  <IconButton
                    icon="pencil"
                    label={t("views.rename", { name: view.name })}
                    onClick={() => setRenamed(view)}
                  />
                  <IconButton
                    icon="trash-2"
                    label={t("views.remove", { name: view.name })}
                    onClick={() => remove(view)}
                  />
                </>
              )}
            </>
          )}
        />
      </div>
      <AddView />
      {renamed && <RenameDialog view={renamed} onClose={() => setRenamed(undefined)} />}
    </Dialog>
  );
}

function remove(view: View): void {
  toastFailure(
    removeView(view.fragment).then(() => {
      toast(t("views.removed", { name: nameOf(view) }), { undo: () => toastFailure(addView(view)) });
    }),
  );
}

function RenameDialog({ view, onClose }: { view: View; onClose: () => void }) {
  const [name, setName] = useState(nameOf(view));
  const { isBusy, error, run } = useAction();
  const isComplete = name.trim() !== "";
  const save = async (): Promise<void> => {
    if (isComplete && (await run(() => renameView(view.fragment, name)))) onClose();
  };
  return (
    <Dialog
      title={t("views.rename", { name: nameOf(view) })}
      width="narrow"
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isComplete}>
            {t("views.save")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("views.name")}
        value={name}
        error={error}
        maxLength={maxNameLength}
        autofocus
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </Dialog>
  );
}

/** What the current page is called, if that says which one it is. */
function titleOf(at: Place): string {
  if (at.kind === "conversation") return conversationTitle(at.conversation);
  return at.kind === "channel" ? `#${findChannel(at.channelId)?.name ?? ""}` : "";
}

const mayBeView = ({ kind }: Place): boolean => ["conversation", "channel", "messages", "inbox"].includes(kind);

function AddView() {
  const { value: at } = place;
  const here = wholeAddress(at);
  const [name, setName] = useState(() => titleOf(at).slice(0, maxNameLength));
  const { isBusy, error, run } = useAction();
  if (!mayBeView(at)) return null;
  if (allViews().some(({ fragment }) => wholeAddress(placeAt(fragment)) === here))
    return <p class={styles.hint}>{t("views.isOne")}</p>;
  const isComplete = name.trim() !== "";
  return (
    <form
      class={styles.add}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete) void run(() => addView({ fragment: here.slice(1), name: name.trim(), isShown: true }));
      }}
    >
      <h3>{t("views.addTitle")}</h3>
      <TextField
        label={t("views.name")}
        hint={t("views.addHint")}
        value={name}
        error={error}
        maxLength={maxNameLength}
        autocomplete="off"
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <Button kind="primary" type="submit" icon="plus" busy={isBusy} aria-disabled={!isComplete}>
        {t("views.add")}
      </Button>
    </form>
  );
}
