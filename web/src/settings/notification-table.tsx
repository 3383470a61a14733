/** What × where: each cell is a setting. */
import "../text/chunks/fields.ts";
import { notificationColumns, notificationRows, type NotificationRow } from "../descriptors/personal.ts";
import { useState } from "preact/hooks";
import { elementId } from "../descriptors/setting.ts";
import { useSaving } from "../controls/use-saving.ts";
import { personalSettings } from "../store/setting-stores.ts";
import { t } from "../text/t.ts";
import { FieldError } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./notification-table.module.css";

export const NotificationTable = ({ labelledBy }: { labelledBy: string }) => (
  <table class={styles.table} aria-labelledby={labelledBy}>
    <thead>
      <tr>
        <td />
        {notificationColumns.map((label) => (
          <th key={label} scope="col">
            {t(label)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {notificationRows.map((row) => (
        <Row key={row.label} row={row} />
      ))}
    </tbody>
  </table>
);

function Row({ row: { label, settings } }: { row: NotificationRow }) {
  const { saved, error, save } = useSaving();
  const [changed, setChanged] = useState<string>();
  const errorId = `${label}-error`;
  return (
    <tr>
      <th scope="row">
        {t(label)}
        <FieldError id={errorId} error={error} />
      </th>
      {settings.map((setting) => {
        const isOn = personalSettings.read(setting.name) === true;
        return (
          <td key={setting.name} id={elementId(setting.name)}>
            <label class={styles.cell}>
              <input
                type="checkbox"
                aria-label={t(setting.label)}
                aria-describedby={error === undefined ? undefined : errorId}
                checked={isOn}
                onChange={(event) => {
                  const wanted = event.currentTarget.checked;
                  // Shows the stored value, not the click.
                  event.currentTarget.checked = isOn;
                  setChanged(setting.name);
                  void save(() => personalSettings.save(setting.name, wanted));
                }}
              />
              <span class={styles.saved} role="status">
                {saved && changed === setting.name && (
                  <>
                    <Icon name="check" size={14} />
                    <span class="visually-hidden">{t("field.saved")}</span>
                  </>
                )}
              </span>
            </label>
          </td>
        );
      })}
    </tr>
  );
}
