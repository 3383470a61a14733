/** The switch beside Send: whether Enter sends or starts a new line. */
import { t } from "../text/t.ts";
import { Icon } from "../ui/icon.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./composer.module.css";

interface EnterSwitchProps {
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

export const EnterSwitch = ({ isOn, onChange }: EnterSwitchProps) => (
  <label class={styles.enter} {...tip(t(isOn ? "composer.enterSendsOn" : "composer.enterSendsOff"))}>
    <input
      type="checkbox"
      role="switch"
      checked={isOn}
      aria-label={t("composer.enterSends")}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span class={styles.enterWords}>{t("composer.enterSends")}</span>
    <Icon name="corner-down-left" size={16} class={styles.enterSign} />
  </label>
);
