/** Adds an emoji: a picture, shown as it will look, and a name, checked as it is typed. */
import "../text/chunks/fields.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import { uploadCustomEmoji } from "@skein/api/routes/emoji.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { FileButton, imageTypes } from "../controls/file-button.tsx";
import { useAction } from "../controls/use-action.ts";
import { emojiName, problemWithEmojiName } from "../store/emoji-names.ts";
import { emoji } from "../store/emoji.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, TextField } from "../ui/field.tsx";
import styles from "./emoji.module.css";

/** Of the file; the server makes a small picture from it. */
const maxMebibytes = 5;
const timeout = 120_000;

const nameOfFile = (file: File): string =>
  emojiName(file.name.replace(/\.\w+$/, ""))
    .replaceAll(/[^0-9a-z._-]+/g, "_")
    .replace(/[._-]+$/, "");

export function EmojiDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [file, setFile] = useState<{ file: File; url: string }>();
  const [builtIn, setBuiltIn] = useState<ReadonlySet<string>>(new Set());
  const { isBusy, error, setError, run } = useAction();

  useEffect(() => {
    // Without the list, the server tells.
    emoji.load().then(
      (all) => setBuiltIn(new Set(all.filter(({ glyph }) => glyph !== undefined).flatMap(({ names }) => names))),
      () => undefined,
    );
  }, []);
  useEffect(() => () => URL.revokeObjectURL(file?.url ?? ""), [file]);

  const name = emojiName(typed);
  const problem = name === "" ? undefined : problemWithEmojiName(name, builtIn);
  const canAdd = file !== undefined && name !== "" && problem === undefined;

  const choose = (chosen: File): void => {
    const isLarge = chosen.size > maxMebibytes * 1024 ** 2;
    setError(isLarge ? t("organization.picture.tooLarge", { count: maxMebibytes }) : undefined);
    if (isLarge) return;
    setFile({ file: chosen, url: URL.createObjectURL(chosen) });
    if (typed === "") setTyped(nameOfFile(chosen));
  };
  const add = async (): Promise<void> => {
    if (canAdd && (await run(() => call(uploadCustomEmoji, { emoji_name: name }, { file: file.file, timeout }))))
      onClose();
  };

  return (
    <Dialog
      title={t("organization.emoji.add")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void add()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!canAdd}>
            {t("organization.emoji.add")}
          </Button>
        </>
      }
    >
      <FileButton accept={imageTypes} onChoose={choose}>
        {t(file ? "organization.emoji.otherPicture" : "organization.emoji.picture")}
      </FileButton>
      <div class={styles.sample}>
        {file ? (
          <>
            <img class={styles.large} src={file.url} alt="" />
            <span>
              {t("organization.emoji.sample")} <img class={styles.inline} src={file.url} alt="" />
            </span>
          </>
        ) : (
          t("organization.emoji.limits", { count: maxMebibytes })
        )}
      </div>
      <TextField
        label={t("organization.emoji.name")}
        hint={
          builtIn.has(name) && problem === undefined
            ? t("organization.emoji.replaces")
            : name === ""
              ? t("organization.emoji.name.hint")
              : t("organization.emoji.typed", { name })
        }
        error={problem && t(problem)}
        value={typed}
        maxLength={100}
        autofocus
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setTyped(event.currentTarget.value)}
      />
      <FieldError id="emoji-error" error={error} />
    </Dialog>
  );
}
