/** All shortcuts, and whether single keys are some. */
import "../text/chunks/settings.ts";
import { KeyList } from "../commands/key-list.tsx";
import { elementId } from "../descriptors/setting.ts";
import { hasSingleKeys, setSingleKeys } from "../store/single-keys.ts";
import { t } from "../text/t.ts";
import { CheckField } from "../ui/choices.tsx";
import { useState } from "preact/hooks";

export default function Keyboard() {
  const [saved, setSaved] = useState(false);
  return (
    <>
      <div id={elementId("single-keys")}>
        <CheckField
          label={t("settings.singleKeys")}
          hint={t("settings.singleKeys.hint")}
          checked={hasSingleKeys.value}
          saved={saved}
          onChange={(wanted) => {
            setSingleKeys(wanted);
            setSaved(true);
          }}
        />
      </div>
      <div id={elementId("keys")}>
        <KeyList />
      </div>
    </>
  );
}
