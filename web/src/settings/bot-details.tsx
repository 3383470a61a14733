/** A bot's picture, name, key and addresses. Each control saves itself. */
import "../text/chunks/controls.ts";
import "../text/chunks/settings.ts";
import { BotKey } from "../controls/bot-key.tsx";
import { PictureField } from "../controls/picture-field.tsx";
import { TextSetting } from "../controls/text-setting.tsx";
import { useOptimistic } from "../controls/use-optimistic.ts";
import { changeBot, kindOf, webhookInterfaces, webhookOf, type Bot } from "../store/bots.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { SelectField } from "../ui/field.tsx";
import { DeliveryAddress } from "./delivery-address.tsx";
import styles from "./settings.module.css";

const maxNameLength = 100;
const maxUrlLength = 2000;

export function BotDetails({ bot }: { bot: Bot }) {
  const { user_id, full_name, avatar_url } = bot;
  const name = useOptimistic(full_name, (changed) => changeBot(user_id, { full_name: changed }));
  const kind = kindOf(bot);
  return (
    <div class={styles.details}>
      <PictureField label={t("bots.picture")} onChoose={(file) => changeBot(user_id, {}, file)}>
        <Avatar name={full_name} src={avatar_url} size={64} />
      </PictureField>
      <TextSetting
        {...name}
        label={t("bots.name")}
        hint={undefined}
        disabled={false}
        control={{ kind: "text", maxLength: maxNameLength, isRequired: true }}
      />
      {kind === "outgoing" && <Webhook bot={bot} />}
      {kind === "incoming" && <DeliveryAddress bot={bot} />}
      <BotKey userId={user_id} name={full_name} email={bot.email} apiKey={bot.api_key} />
    </div>
  );
}

function Webhook({ bot }: { bot: Bot }) {
  const service = webhookOf(bot);
  const url = useOptimistic(service?.base_url ?? "", (service_payload_url) =>
    changeBot(bot.user_id, { service_payload_url }),
  );
  const format = useOptimistic(service?.interface ?? webhookInterfaces.generic, (service_interface) =>
    changeBot(bot.user_id, { service_interface }),
  );
  return (
    <>
      <TextSetting
        {...url}
        type="url"
        label={t("bots.url")}
        hint={t("bots.url.hint")}
        disabled={false}
        control={{ kind: "text", maxLength: maxUrlLength, isRequired: true }}
      />
      <SelectField
        label={t("bots.format")}
        saved={format.saved}
        error={format.error}
        value={String(format.value)}
        options={formatOptions()}
        onChange={(event) => format.onChange(Number(event.currentTarget.value))}
      />
      {service && (
        <p class={styles.note}>
          {t("bots.token")} <code>{service.token}</code>
        </p>
      )}
    </>
  );
}

export const formatOptions = (): { value: string; label: string }[] => [
  { value: String(webhookInterfaces.generic), label: t("bots.format.generic") },
  { value: String(webhookInterfaces.slack), label: t("bots.format.slack") },
];
