/** One of the organization's pictures: shown as others see it, uploaded, replaced, removed. */
import "../text/chunks/controls.ts";
import "../text/chunks/organization.ts";
import { removeRealmIcon, removeRealmLogo, uploadRealmIcon, uploadRealmLogo } from "@skein/api/routes/realm-icon.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { FileButton, imageTypes } from "../controls/file-button.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { isAdministrator } from "../store/roles.ts";
import { part } from "../store/state.ts";
import { t, type TextKey } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { FieldError, SavedNote } from "../ui/field.tsx";
import styles from "./picture-setting.module.css";

interface Picture {
  label: TextKey;
  hint: TextKey;
  url: () => string | undefined;
  isUploaded: () => boolean;
  mebibytes: () => number;
  upload: (file: File) => Promise<unknown>;
  remove: () => Promise<unknown>;
  shape: string | undefined;
  background: string | undefined;
}

/** Pictures may take longer than other requests. */
const timeout = 120_000;

const logo = (night: boolean) => ({
  mebibytes: () => part("max_logo_file_size_mib").value ?? 0,
  upload: (file: File) => call(uploadRealmLogo, { night }, { file, timeout }),
  remove: () => call(removeRealmLogo, { night }),
  shape: styles.wide,
  background: night ? styles.dark : styles.light,
});

const pictures = {
  icon_url: {
    label: "organization.icon_url",
    hint: "organization.icon_url.hint",
    url: () => part("realm_icon_url").value,
    isUploaded: () => part("realm_icon_source").value === "U",
    mebibytes: () => part("max_icon_file_size_mib").value ?? 0,
    upload: (file) => call(uploadRealmIcon, {}, { file, timeout }),
    remove: () => call(removeRealmIcon, {}),
    shape: styles.square,
    background: undefined,
  },
  logo_url: {
    ...logo(false),
    label: "organization.logo_url",
    hint: "organization.logo_url.hint",
    url: () => part("realm_logo_url").value,
    isUploaded: () => part("realm_logo_source").value === "U",
  },
  night_logo_url: {
    ...logo(true),
    label: "organization.night_logo_url",
    hint: "organization.night_logo_url.hint",
    url: () => part("realm_night_logo_url").value,
    isUploaded: () => part("realm_night_logo_source").value === "U",
  },
} satisfies Record<string, Picture>;

export function PictureSetting({ which }: { which: keyof typeof pictures }) {
  const picture: Picture = pictures[which];
  const { saved, error, save } = useSaving();
  const [isTooLarge, setTooLarge] = useState(false);
  const [busy, setBusy] = useState<"upload" | "remove">();
  const label = t(picture.label);
  const count = picture.mebibytes();
  const isUploaded = picture.isUploaded();
  // Without an upload, the icon is a pattern made by the server; a logo is the product's, which says nothing.
  const isShown = isUploaded || which === "icon_url";
  const attempt = async (what: "upload" | "remove", request: () => Promise<unknown>): Promise<void> => {
    setBusy(what);
    await save(request);
    setBusy(undefined);
  };
  const upload = (file: File): void => {
    const isLarge = file.size > count * 1024 ** 2;
    setTooLarge(isLarge);
    if (!isLarge) void attempt("upload", () => picture.upload(file));
  };
  const buttonLabel = (action: TextKey): string => t("organization.picture.of", { action: t(action), picture: label });
  return (
    <div id={elementId(which)} class={styles.setting}>
      <div class={styles.top}>
        <h3 class={styles.label}>{label}</h3>
        <SavedNote saved={saved} />
      </div>
      <div class={styles.line}>
        <span class={classes(styles.preview, picture.shape, picture.background)}>
          {isShown ? <img src={picture.url()} alt={label} /> : t("organization.picture.none")}
        </span>
        {isAdministrator() && (
          <FileButton
            accept={imageTypes}
            busy={busy === "upload"}
            label={buttonLabel(isUploaded ? "organization.picture.replace" : "organization.picture.upload")}
            onChoose={upload}
          >
            {t(isUploaded ? "organization.picture.replace" : "organization.picture.upload")}
          </FileButton>
        )}
        {isAdministrator() && isUploaded && (
          <Button
            kind="quiet"
            busy={busy === "remove"}
            aria-label={buttonLabel("organization.picture.remove")}
            onClick={() => void attempt("remove", picture.remove)}
          >
            {t("organization.picture.remove")}
          </Button>
        )}
      </div>
      <div class={styles.hint}>
        {isAdministrator()
          ? t("organization.picture.limits", { hint: t(picture.hint), count })
          : t("setting.administratorsOnly")}
      </div>
      <FieldError id={`${which}-error`} error={isTooLarge ? t("organization.picture.tooLarge", { count }) : error} />
    </div>
  );
}
