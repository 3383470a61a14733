/** Who can access a channel. A choice says who gains and who loses what before it is applied. */
import "../text/chunks/fields.ts";
import "../text/chunks/channel-settings.ts";
import "../text/chunks/privacy.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { useSaving } from "../controls/use-saving.ts";
import { elementId } from "../descriptors/setting.ts";
import { mayAdminister, mayGiveAccess } from "../store/channel-permissions.ts";
import {
  effectsOf,
  privaciesFor,
  privacyOf,
  savePrivacy,
  type Privacy,
  type PrivacyEffect,
} from "../store/channel-privacy.ts";
import type { Channel } from "../store/channels.ts";
import { isDefaultChannel } from "../store/default-channels.ts";
import { subscribersOf } from "../store/subscribers.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { RadioField } from "../ui/choices.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./privacy-setting.module.css";

export function PrivacySetting({ channel }: { channel: Channel }) {
  const current = privacyOf(channel);
  const [chosen, setChosen] = useState<Privacy>();
  const [isBusy, setBusy] = useState(false);
  const { saved, error, save } = useSaving();
  const locked = !mayGiveAccess(channel);
  const wanted = chosen === undefined || chosen === current || locked ? undefined : chosen;
  const isDefault = isDefaultChannel(channel.stream_id);
  const apply = async (to: Privacy): Promise<void> => {
    setBusy(true);
    await save(() => savePrivacy(channel.stream_id, to));
    setBusy(false);
    setChosen(undefined);
  };
  return (
    // One control for three settings.
    <div id={elementId("invite_only")}>
      <div id={elementId("history_public_to_subscribers")}>
        <div id={elementId("is_web_public")}>
          <RadioField
            label={t("channelSettings.invite_only")}
            value={wanted ?? current}
            disabled={locked}
            saved={saved && wanted === undefined}
            error={error}
            hint={locked && mayAdminister(channel) ? t("channelSettings.needsAccess") : undefined}
            options={privaciesFor(channel).map((value) => {
              const isRefused = isDefault && (value === "private" || value === "protected");
              return {
                value,
                label: t(`privacy.${value}`),
                hint: isRefused ? t("channelSettings.defaultIsOpen") : t(`privacy.${value}Hint`),
                disabled: isRefused,
              };
            })}
            onChange={(value) => setChosen(value as Privacy)} // one of those above
          />
          {wanted !== undefined && (
            <Consequences
              channel={channel}
              to={wanted}
              isBusy={isBusy}
              onApply={() => void apply(wanted)}
              onCancel={() => setChosen(undefined)}
            />
          )}
        </div>
      </div>
    </div>
  );
}

interface ConsequencesProps {
  channel: Channel;
  to: Privacy;
  isBusy: boolean;
  onApply: () => void;
  onCancel: () => void;
}

function Consequences({ channel, to, isBusy, onApply, onCancel }: ConsequencesProps) {
  const box = useRef<HTMLDivElement>(null);
  const count = subscribersOf(channel.stream_id).ids.value?.size ?? 0;
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [to]);
  return (
    <div ref={box} class={styles.consequences} role="group" aria-label={t("channelSettings.privacyApply")}>
      <div role="status">
        <strong>{t("channelSettings.privacyChange", { privacy: t(`privacy.${to}`) })}</strong>
        <ul>
          {effectsOf(privacyOf(channel), to, channel.isSubscribed).map((effect) => (
            <li key={effect.whom}>
              <Icon name={effect.gains ? "plus" : "minus"} size={14} />
              <span>{sentence(effect, count)}</span>
            </li>
          ))}
        </ul>
      </div>
      <div class={styles.actions}>
        <Button onClick={onCancel}>{t("ui.cancel")}</Button>
        <Button kind="primary" busy={isBusy} onClick={onApply}>
          {t("channelSettings.privacyApply")}
        </Button>
      </div>
    </div>
  );
}

function sentence({ whom, gains }: PrivacyEffect, count: number): string {
  switch (whom) {
    case "strangers":
      return t(gains ? "channelSettings.strangersGain" : "channelSettings.strangersLose");
    case "members":
      return gains ? t("channelSettings.membersGain") : t("channelSettings.membersLose", { count });
    case "subscribers":
      return t(gains ? "channelSettings.subscribersGain" : "channelSettings.subscribersLose");
    case "reader":
      return t("channelSettings.readerLose");
  }
}
