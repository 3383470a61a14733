/** The color of a channel in the reader's sidebar: one of some, or any. */
import "../text/chunks/channel-settings.ts";
import { useId } from "preact/hooks";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import type { Channel } from "../store/channels.ts";
import { subscriptionSettings } from "../store/setting-stores.ts";
import { t } from "../text/t.ts";
import { FieldError, SavedNote } from "../ui/field.tsx";
import styles from "./color-setting.module.css";

const colors = [
  "4c9f70",
  "90a955",
  "2a9d8f",
  "48bfe3",
  "3d7ea6",
  "577590",
  "8e6bbf",
  "c77dff",
  "d1495b",
  "e76f51",
  "edae49",
  "bc6c25",
] as const;

export function ColorSetting({ channel }: { channel: Channel }) {
  const id = useId();
  const { saved, error, save } = useSaving();
  const current = channel.color ?? "";
  const set = (color: string): void => {
    if (color !== current) void save(() => subscriptionSettings(channel.stream_id).save("color", color));
  };
  const isListed = colors.some((color) => `#${color}` === current);
  return (
    <fieldset id={elementId("color")} class={styles.field} aria-describedby={error === undefined ? undefined : id}>
      <legend>
        {t("channelSettings.color")} <SavedNote saved={saved} />
      </legend>
      <div class={styles.colors}>
        {colors.map((color) => (
          <label key={color} class={styles.color} data-tip={t(`channelSettings.color.${color}`)}>
            <input
              type="radio"
              name={id}
              aria-label={t(`channelSettings.color.${color}`)}
              checked={`#${color}` === current}
              style={{ "--channel": `#${color}` }}
              onChange={() => set(`#${color}`)}
            />
          </label>
        ))}
        <label class={styles.other} data-current={isListed ? undefined : ""}>
          <input type="color" value={current} onChange={(event) => set(event.currentTarget.value.toLowerCase())} />
          {t("channelSettings.otherColor")}
        </label>
      </div>
      <FieldError id={id} error={error} />
    </fieldset>
  );
}
