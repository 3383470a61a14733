/** How people log in: which methods there are, which are on, and why some cannot be changed. And how long keys live. */
import "../text/chunks/organization-lists.ts";
import { updateRealm } from "@skein/api/routes/realm-settings.ts";
import { getServerSettings } from "@skein/api/routes/server-settings.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { SettingGroups } from "../controls/settings-section.tsx";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { methodsOf, type LogInMethod } from "../store/log-in-methods.ts";
import { t } from "../text/t.ts";
import { CheckField } from "../ui/choices.tsx";
import { Failure } from "../ui/failure.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import styles from "./lists.module.css";

/** Methods of the server, which organizations do not choose. */
type External = readonly { name: string; display_name: string }[];

export default function Authentication({ section: { groups } }: SectionViewProps) {
  return (
    <>
      <Methods />
      <SettingGroups groups={groups.slice(1)} />
    </>
  );
}

function Methods() {
  const [external, setExternal] = useState<External>();
  const [failure, setFailure] = useState<unknown>();
  const load = (): void => {
    setFailure(undefined);
    call(getServerSettings, {}).then(
      ({ external_authentication_methods }) => setExternal(external_authentication_methods),
      setFailure,
    );
  };
  useEffect(load, []);
  return (
    <div id={elementId("authentication_methods")}>
      {methodsOf().map((method) => (
        <Method key={method.name} method={method} />
      ))}
      {failure !== undefined && <Failure error={failure} onRetry={load} />}
      {!external && failure === undefined && <Skeleton rows={1} height={44} />}
      {external?.map(({ name, display_name }) => (
        <CheckField
          key={name}
          label={display_name}
          hint={t("organization.authentication.operator")}
          checked
          disabled
          onChange={() => undefined}
        />
      ))}
      <p class={styles.note}>{t("organization.authentication.more")}</p>
    </div>
  );
}

function Method({ method: { name, isOn, lock, requestFor } }: { method: LogInMethod }) {
  const { saved, error, save } = useSaving();
  return (
    <CheckField
      label={name === "Email" ? t("organization.authentication.email") : name}
      hint={lock}
      checked={isOn}
      disabled={lock !== undefined}
      saved={saved}
      error={error}
      onChange={(wanted) => void save(() => call(updateRealm, { authentication_methods: requestFor(wanted) }))}
    />
  );
}
