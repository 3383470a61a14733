/** A period: one of the usual ones, unlimited, or another one that the user enters. */
import "../text/chunks/controls.ts";
import { useState } from "preact/hooks";
import type { Control } from "../descriptors/setting.ts";
import { period } from "../text/period.ts";
import { t } from "../text/t.ts";
import { SelectField } from "../ui/field.tsx";
import { NumberSetting } from "./number-setting.tsx";
import type { ControlProps } from "./setting-control.tsx";

interface PeriodSettingProps extends ControlProps<number | null> {
  control: Extract<Control, { kind: "period" }>;
}

const other = "other";
/** Others are entered in minutes, or in days. */
const perUnit = { seconds: 60, days: 1 } as const;
const maxEntered = 1_000_000;

export function PeriodSetting({ control, value, onChange, saved, error, ...rest }: PeriodSettingProps) {
  const { presets, unlimited, unit } = control;
  const [isEntering, setEntering] = useState(false);
  const inSeconds = (amount: number): number => (unit === "days" ? amount * 86_400 : amount);
  const isListed = value === unlimited || (value !== null && presets.includes(value));
  const entersOther = isEntering || !isListed;
  const options = [
    ...presets.map((preset) => ({ value: String(preset), label: period(inSeconds(preset)) })),
    ...(unlimited === undefined ? [] : [{ value: String(unlimited), label: t("setting.unlimited") }]),
    { value: other, label: t("setting.otherPeriod") },
  ];
  const choose = (chosen: string): void => {
    setEntering(chosen === other);
    if (chosen !== other)
      onChange(unlimited !== undefined && chosen === String(unlimited) ? unlimited : Number(chosen));
  };
  const shared = { saved, error };
  return (
    <>
      <SelectField
        {...rest}
        {...(entersOther ? {} : shared)}
        value={entersOther ? other : String(value)}
        options={options}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {entersOther && (
        <NumberSetting
          {...shared}
          label={rest.label}
          hint={undefined}
          disabled={rest.disabled}
          control={{
            kind: "number",
            min: 1,
            max: maxEntered,
            unit: unit === "days" ? "setting.days" : "setting.minutes",
          }}
          value={Math.max(1, Math.round((value ?? 0) / perUnit[unit]))}
          onChange={(entered) => onChange(entered * perUnit[unit])}
        />
      )}
    </>
  );
}
