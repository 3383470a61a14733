/** The settings of a section, below their headings. Sections with more than that place these between their own parts. */
import type { SettingGroup } from "../descriptors/setting.ts";
import { t } from "../text/t.ts";
import { SettingControl } from "./setting-control.tsx";
import styles from "./settings-section.module.css";

interface SettingGroupsProps {
  groups: readonly SettingGroup[];
  /** The channel or group that they are settings of. */
  subjectId?: number;
  lockedBecause?: string | undefined;
}

const hasAny = ({ settings }: SettingGroup): boolean => settings.some(({ isOffered }) => isOffered?.() !== false);

export const SettingGroups = ({ groups, ...rest }: SettingGroupsProps) => (
  <>
    {groups.filter(hasAny).map(({ label, hint, settings }) => (
      <section key={label ?? settings[0]?.name} class={styles.group}>
        {label !== undefined && <h3>{t(label)}</h3>}
        {hint !== undefined && <p class={styles.hint}>{t(hint)}</p>}
        {settings.map((setting) => (
          <SettingControl key={`${setting.scope} ${setting.name}`} setting={setting} {...rest} />
        ))}
      </section>
    ))}
  </>
);
