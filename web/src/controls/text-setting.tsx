/** A text that is saved when the field is left or Enter is pressed; Escape returns to the stored one. */
import "../text/chunks/controls.ts";
import { useState } from "preact/hooks";
import type { Control } from "../descriptors/setting.ts";
import { t } from "../text/t.ts";
import { TextArea, TextField } from "../ui/field.tsx";
import type { ControlProps } from "./setting-control.tsx";

interface TextSettingProps extends ControlProps<string> {
  control: Extract<Control, { kind: "text" }>;
  type?: "text" | "email" | "url" | "date";
}

export function TextSetting({ control, value, onChange, error, type = control.type, ...rest }: TextSettingProps) {
  const [typed, setTyped] = useState<string>();
  const isEmpty = control.isRequired === true && typed?.trim() === "";
  const commit = (): void => {
    if (typed === undefined || isEmpty) return;
    setTyped(undefined);
    if (typed !== value) onChange(typed);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape" && typed !== undefined) {
      setTyped(undefined);
      event.stopPropagation();
    } else if (
      event.key === "Enter" &&
      !event.isComposing &&
      (control.rows === undefined || event.ctrlKey || event.metaKey)
    )
      commit();
  };
  const props = {
    ...rest,
    value: typed ?? value,
    maxLength: control.maxLength,
    error: isEmpty ? t("setting.required") : error,
    onBlur: commit,
    onKeyDown,
  };
  return control.rows === undefined ? (
    <TextField {...props} {...(type ? { type } : {})} onInput={(event) => setTyped(event.currentTarget.value)} />
  ) : (
    <TextArea {...props} rows={control.rows} onInput={(event) => setTyped(event.currentTarget.value)} />
  );
}
