/** A whole number within limits, saved when the field is left or Enter is pressed. */
import "../text/chunks/controls.ts";
import { useState } from "preact/hooks";
import type { Control } from "../descriptors/setting.ts";
import { t } from "../text/t.ts";
import { TextField } from "../ui/field.tsx";
import type { ControlProps } from "./setting-control.tsx";

interface NumberSettingProps extends Omit<ControlProps<number>, "value"> {
  /** Undefined until one is entered. */
  value: number | undefined;
  control: Extract<Control, { kind: "number" }>;
}

export function NumberSetting({
  control: { min, max, unit },
  value,
  onChange,
  error,
  label,
  ...rest
}: NumberSettingProps) {
  const [typed, setTyped] = useState<string>();
  const entered = Number(typed);
  const isValid =
    typed !== undefined && typed.trim() !== "" && Number.isInteger(entered) && entered >= min && entered <= max;
  const commit = (): void => {
    if (!isValid) return;
    setTyped(undefined);
    if (entered !== value) onChange(entered);
  };
  return (
    <TextField
      {...rest}
      label={unit === undefined ? label : `${label} (${t(unit)})`}
      type="number"
      min={min}
      max={max}
      value={typed ?? String(value ?? "")}
      error={typed === undefined || isValid ? error : t("setting.range", { min, max })}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={commit}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === "Enter") commit();
        else if (event.key === "Escape" && typed !== undefined) {
          setTyped(undefined);
          event.stopPropagation();
        }
      }}
    />
  );
}
