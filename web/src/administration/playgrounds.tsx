/** Code playgrounds: sites where readers can run a code block. */
import "../text/chunks/fields.ts";
import "../text/chunks/controls.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import { Refusal } from "@skein/api/failures.ts";
import type { Playground } from "@skein/api/playgrounds.ts";
import { addPlayground, removePlayground } from "@skein/api/routes/playgrounds.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { DangerDialog } from "../controls/danger-dialog.tsx";
import { ItemList } from "../controls/item-list.tsx";
import { elementId } from "../descriptors/setting.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Empty } from "../ui/empty.tsx";
import { FieldError, TextField } from "../ui/field.tsx";
import { fieldErrors, type FieldErrors } from "./field-errors.ts";
import styles from "./lists.module.css";

const byLanguage = (a: Playground, b: Playground): number =>
  a.pygments_language.localeCompare(b.pygments_language) || a.name.localeCompare(b.name);

export default function Playgrounds() {
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Playground>();
  const playgrounds = (part("realm_playgrounds").value ?? []).toSorted(byLanguage);
  const mayChange = isAdministrator();
  return (
    <>
      {mayChange ? (
        <div id={elementId("add-playground")} class={styles.add}>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t("organization.playgrounds.add")}
          </Button>
        </div>
      ) : (
        <p class={styles.note}>{t("setting.administratorsOnly")}</p>
      )}
      {playgrounds.length === 0 ? (
        <Empty icon="code" title={t("organization.playgrounds.none")}>
          <p>{t("organization.playgrounds.none.hint")}</p>
        </Empty>
      ) : (
        <ItemList
          label={t("organization.playgrounds")}
          items={playgrounds}
          keyOf={({ id }) => id}
          nameOf={({ name }) => name}
          render={({ name, pygments_language, url_template }) => (
            <>
              <div>
                <span class={styles.name}>{name}</span> <span class={styles.tag}>{pygments_language}</span>
              </div>
              <div class={styles.detail}>{url_template}</div>
            </>
          )}
          {...(mayChange
            ? {
                actions: (playground: Playground) => (
                  <IconButton
                    icon="trash-2"
                    label={t("organization.playgrounds.remove", { name: playground.name })}
                    onClick={() => setRemoved(playground)}
                  />
                ),
              }
            : {})}
        />
      )}
      {isAdding && <PlaygroundDialog onClose={() => setAdding(false)} />}
      {removed && (
        <DangerDialog
          title={t("organization.playgrounds.remove", { name: removed.name })}
          action={t("organization.remove")}
          run={() => call(removePlayground, { playground_id: removed.id })}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t("organization.playgrounds.removeText", { language: removed.pygments_language })}</p>
        </DangerDialog>
      )}
    </>
  );
}

function PlaygroundDialog({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState({ pygments_language: "", name: "", url_template: "" });
  const [errors, setErrors] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const isComplete = Object.values(draft).every((text) => text.trim() !== "");
  const save = async (): Promise<void> => {
    if (isBusy || !isComplete) return;
    setBusy(true);
    try {
      await call(addPlayground, draft);
      onClose();
    } catch (error) {
      setErrors(error instanceof Refusal ? fieldErrors(error) : { other: reasonOf(error) });
      setBusy(false);
    }
  };
  const field = (name: keyof typeof draft) => ({
    value: draft[name],
    error: errors[name],
    autocomplete: "off",
    spellcheck: false,
    onInput: (event: { currentTarget: HTMLInputElement }) => setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  return (
    <Dialog
      title={t("organization.playgrounds.add")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isComplete}>
            {t("organization.playgrounds.add")}
          </Button>
        </>
      }
    >
      <TextField
        {...field("pygments_language")}
        label={t("organization.playgrounds.language")}
        hint={t("organization.playgrounds.language.hint")}
        placeholder="rust"
        maxLength={40}
        autofocus
      />
      <TextField
        {...field("name")}
        label={t("organization.playgrounds.name")}
        hint={t("organization.playgrounds.name.hint")}
        placeholder="Rust playground"
        maxLength={100}
      />
      <TextField
        {...field("url_template")}
        label={t("organization.playgrounds.template")}
        hint={t("organization.playgrounds.template.hint")}
        placeholder="https://play.example.org/?code={code}"
        maxLength={2000}
      />
      <FieldError id="playground-error" error={errors["other"]} />
    </Dialog>
  );
}
