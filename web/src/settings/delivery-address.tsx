/** The address that a service delivers to: chosen by service, channel and topic. */
import "../text/chunks/settings.ts";
import { useState } from "preact/hooks";
import { byName, channelsById } from "../store/channels.ts";
import { deliveryAddress, type Bot } from "../store/bots.ts";
import { part } from "../store/state.ts";
import { toast } from "../store/toasts.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import styles from "./settings.module.css";
import key from "../controls/api-key.module.css";

export function DeliveryAddress({ bot }: { bot: Bot }) {
  const services = part("realm_incoming_webhook_bots").value ?? [];
  const [chosen, setChosen] = useState({ service: services[0]?.name ?? "", channel: "", topic: "" });
  const channels = [...channelsById.value.values()]
    .filter((channel) => channel.isSubscribed && !channel.is_archived)
    .toSorted(byName);
  const address = deliveryAddress(bot, chosen);
  if (services.length === 0 || bot.api_key === "") return null;
  return (
    <div role="group" aria-label={t("bots.delivery")}>
      <h4 class={styles.label}>{t("bots.delivery")}</h4>
      <p class={styles.note}>{t("bots.delivery.hint")}</p>
      <SelectField
        label={t("bots.service")}
        value={chosen.service}
        options={services.map(({ name, display_name }) => ({ value: name, label: display_name }))}
        onChange={(event) => setChosen({ ...chosen, service: event.currentTarget.value })}
      />
      <SelectField
        label={t("bots.deliverTo")}
        value={chosen.channel}
        options={[
          { value: "", label: t("bots.deliverToMe") },
          ...channels.map(({ name }) => ({ value: name, label: `#${name}` })),
        ]}
        onChange={(event) => setChosen({ ...chosen, channel: event.currentTarget.value })}
      />
      {chosen.channel !== "" && (
        <TextField
          label={t("bots.topic")}
          hint={t("bots.topic.hint")}
          isOptional
          value={chosen.topic}
          onInput={(event) => setChosen({ ...chosen, topic: event.currentTarget.value })}
        />
      )}
      <div class={key.key}>
        <output class={key.text} aria-label={t("bots.delivery")}>
          {address}
        </output>
        <Button
          icon="copy"
          onClick={() => void navigator.clipboard.writeText(address).then(() => toast(t("bots.addressCopied")))}
        >
          {t("bots.copyAddress")}
        </Button>
      </div>
    </div>
  );
}
