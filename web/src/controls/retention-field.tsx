/** How long a channel's messages are kept: as in the organization (null), forever (-1), or a number of days. */
import "../text/chunks/channel-settings.ts";
import { useState } from "preact/hooks";
import { forever, organizationRetention } from "../store/retention.ts";
import { period } from "../text/period.ts";
import { t } from "../text/t.ts";
import { SelectField } from "../ui/field.tsx";
import { NumberSetting } from "./number-setting.tsx";
import type { ControlProps } from "./setting-control.tsx";

const maxDays = 2_147_483_647;
const secondsPerDay = 86_400;

type Kind = "default" | "forever" | "days";

const kindOf = (days: number | null): Kind => (days === null ? "default" : days === forever ? "forever" : "days");

/** A number of days in words. */
export const retentionText = (days: number): string =>
  days === forever ? t("channelSettings.retention.foreverNow") : period(days * secondsPerDay);

export function RetentionField({ value, onChange, saved, error, ...rest }: ControlProps<number | null>) {
  const [isEntering, setEntering] = useState(false);
  const kind = isEntering ? "days" : kindOf(value);
  const outcome = { saved, error };
  const choose = (chosen: string): void => {
    setEntering(chosen === "days");
    if (chosen !== "days") onChange(chosen === "forever" ? forever : null);
  };
  return (
    <>
      <SelectField
        {...rest}
        {...(kind === "days" ? {} : outcome)}
        value={kind}
        options={[
          {
            value: "default",
            label: t("channelSettings.retention.default", { period: retentionText(organizationRetention()) }),
          },
          { value: "forever", label: t("channelSettings.retention.forever") },
          { value: "days", label: t("channelSettings.retention.days") },
        ]}
        onChange={(event) => choose(event.currentTarget.value)}
      />
      {kind === "days" && (
        <NumberSetting
          {...outcome}
          label={t("channelSettings.retention.daysField")}
          hint={undefined}
          disabled={rest.disabled}
          control={{ kind: "number", min: 1, max: maxDays }}
          value={value === null || value === forever ? undefined : value}
          onChange={(days) => {
            setEntering(false);
            onChange(days);
          }}
        />
      )}
    </>
  );
}
