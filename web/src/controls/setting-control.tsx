/** A setting's control: shows the stored value, saves a change by itself, and says beside it what came of it. */
import "../text/chunks/controls.ts";
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { useState } from "preact/hooks";
import { elementId, type Confirmation, type Setting } from "../descriptors/setting.ts";
import { isAdministrator, isOwner } from "../store/roles.ts";
import {
  channelSettings,
  defaultSettings,
  groupSettings,
  organizationSettings,
  personalSettings,
  subscriptionSettings,
  type SettingStore,
} from "../store/setting-stores.ts";
import { t } from "../text/t.ts";
import { CheckField, RadioField } from "../ui/choices.tsx";
import { SelectField } from "../ui/field.tsx";
import { DangerDialog } from "./danger-dialog.tsx";
import { NumberSetting } from "./number-setting.tsx";
import { PeriodSetting } from "./period-setting.tsx";
import { PermissionField } from "./permission-field.tsx";
import styles from "./setting-control.module.css";
import { TextSetting } from "./text-setting.tsx";
import { useSaving } from "./use-saving.ts";

interface SettingControlProps {
  setting: Setting;
  /** The channel or group that it is a setting of. */
  subjectId?: number;
  /** Why the reader cannot change it, for reasons that its description does not know. */
  lockedBecause?: string | undefined;
}

export function storeOf({ scope }: Setting, subjectId = 0): SettingStore {
  switch (scope) {
    case "personal":
      return personalSettings;
    case "defaults":
      return defaultSettings;
    case "organization":
      return organizationSettings;
    case "channel":
      return channelSettings(subjectId);
    case "subscription":
      return subscriptionSettings(subjectId);
    case "group":
      return groupSettings(subjectId);
  }
}

/** Why the reader's role cannot change the setting; undefined if it can. */
export function lockOf({ changedBy }: Setting): string | undefined {
  if (changedBy === "owners" && !isOwner()) return t("setting.ownersOnly");
  return changedBy === "administrators" && !isAdministrator() ? t("setting.administratorsOnly") : undefined;
}

/** What each kind of control needs. */
export interface ControlProps<Value> {
  label: string;
  hint: string | undefined;
  value: Value;
  disabled: boolean;
  saved: boolean;
  error: string | undefined;
  onChange: (value: Value) => void;
}

export function SettingControl({ setting, subjectId, lockedBecause }: SettingControlProps) {
  const store = storeOf(setting, subjectId);
  const { saved, error, save } = useSaving();
  const [asked, setAsked] = useState<{ confirmation: Confirmation; value: unknown }>();
  if (setting.isOffered?.() === false || setting.control.kind === "own") return null;
  const lock = lockedBecause ?? lockOf(setting);
  const hint = [setting.hint && t(setting.hint), lock].filter(Boolean).join(" ");
  const request = (value: unknown): Promise<void> =>
    store.save(setting.name, value, setting.toRequest ? setting.toRequest(value) : value);
  const change = (value: unknown): void => {
    const confirmation = setting.confirm?.(value, store.read(setting.name));
    if (confirmation) setAsked({ confirmation, value });
    else void save(() => request(value));
  };
  const props: ControlProps<unknown> = {
    label: t(setting.label),
    hint: hint === "" ? undefined : hint,
    value: store.read(setting.name),
    disabled: lock !== undefined,
    saved,
    error,
    onChange: change,
  };
  return (
    <div id={elementId(setting.name)} class={styles.setting}>
      <Drawn setting={setting} props={props} />
      {asked && (
        <DangerDialog
          title={t(asked.confirmation.title)}
          action={t(asked.confirmation.action)}
          run={async () => {
            const { value } = asked;
            setAsked(undefined);
            await save(() => request(value));
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{t(asked.confirmation.text, asked.confirmation.values)}</p>
        </DangerDialog>
      )}
    </div>
  );
}

/** The stored value has the type that the description says; the server guarantees it. */
function Drawn({ setting, props }: { setting: Setting; props: ControlProps<unknown> }) {
  const { control, scope, name } = setting;
  switch (control.kind) {
    case "switch":
      return <CheckField {...props} checked={props.value === true} />;
    case "choice": {
      const options = control.choices.map(({ value, label, hint }) => ({
        value: String(value),
        label: t(label),
        ...(hint === undefined ? {} : { hint: t(hint) }),
      }));
      const choose = (text: string): void =>
        props.onChange(control.choices.find(({ value }) => String(value) === text)?.value);
      return options.some(({ hint }) => hint !== undefined) ? (
        <RadioField {...props} value={String(props.value)} options={options} onChange={choose} />
      ) : (
        <SelectField
          {...props}
          value={String(props.value)}
          options={options}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      );
    }
    case "list": {
      const options = control.options();
      return (
        <SelectField
          {...props}
          value={String(props.value)}
          options={options.map(({ value, label }) => ({ value: String(value), label }))}
          onChange={(event) =>
            props.onChange(options.find(({ value }) => String(value) === event.currentTarget.value)?.value)
          }
        />
      );
    }
    case "number":
      return <NumberSetting {...(props as ControlProps<number>)} control={control} />;
    case "text":
      return (
        <TextSetting
          {...props}
          control={control}
          value={(props.value as string | null) ?? ""}
          onChange={(text) => props.onChange(text.trim() === "" && control.empty === null ? null : text)}
        />
      );
    case "period":
      return <PeriodSetting {...(props as ControlProps<number | null>)} control={control} />;
    case "permission":
      return (
        <PermissionField
          {...(props as ControlProps<GroupSettingValue>)}
          kind={scope === "channel" ? "stream" : scope === "group" ? "group" : "realm"}
          name={name}
        />
      );
    case "own":
      return null;
  }
}
