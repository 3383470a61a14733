/** The address whose mail becomes messages in the channel. Servers that receive no mail have none. */
import "../text/chunks/channel-settings.ts";
import { getChannelEmailAddress } from "@skein/api/routes/channels.ts";
import { useEffect, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { elementId } from "../descriptors/setting.ts";
import { mayWriteIn } from "../store/permissions.ts";
import type { Channel } from "../store/channels.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Failure } from "../ui/failure.tsx";
import { Field } from "../ui/field.tsx";
import styles from "./email-address.module.css";

export function EmailAddress({ channel: { stream_id } }: { channel: Channel }) {
  const [address, setAddress] = useState("");
  const [failure, setFailure] = useState<unknown>();
  const load = (): void => {
    setFailure(undefined);
    call(getChannelEmailAddress, { stream_id })
      .then(({ email }) => setAddress(email))
      .catch(setFailure);
  };
  const mayWrite = mayWriteIn(stream_id);
  useEffect(() => {
    if (mayWrite) load();
  }, [stream_id, mayWrite]);
  if (!mayWrite) return null;
  if (failure !== undefined) return <Failure error={failure} onRetry={load} />;
  if (address === "") return null;
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(address);
    toast(t("channelSettings.copied"));
  };
  return (
    <div id={elementId("email")}>
      <Field label={t("channelSettings.email")} hint={t("channelSettings.emailHint")}>
        {(attributes) => (
          <div class={styles.address}>
            <input
              {...attributes}
              type="text"
              readOnly
              value={address}
              onFocus={(event) => event.currentTarget.select()}
            />
            <Button icon="copy" onClick={() => void copy()}>
              {t("channelSettings.copy")}
            </Button>
          </div>
        )}
      </Field>
    </div>
  );
}
