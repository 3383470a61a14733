/** Creates a bot. */
import "../text/chunks/fields.ts";
import "../text/chunks/settings.ts";
import { useEffect, useState } from "preact/hooks";
import { PictureField } from "../controls/picture-field.tsx";
import { addBot, creatableKinds, webhookInterfaces, type NewBot } from "../store/bots.ts";
import { reasonOf } from "../store/reasons.ts";
import { part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { RadioField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, SelectField, TextField } from "../ui/field.tsx";
import { formatOptions } from "./bot-details.tsx";

/** `Deploy bot` becomes `deploy`. */
const shortNameOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .replace(/-bot$/, "");

export function CreateBotDialog({ onClose }: { onClose: () => void }) {
  const kinds = creatableKinds();
  const embedded = part("realm_embedded_bots").value ?? [];
  const [bot, setBot] = useState<NewBot>(() => ({
    kind: kinds[0] ?? "generic",
    name: "",
    shortName: "",
    url: "",
    format: webhookInterfaces.generic,
    service: embedded[0]?.name ?? "",
    config: {},
    picture: undefined,
  }));
  const [isNamed, setNamed] = useState(false);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const set = (changed: Partial<NewBot>): void => setBot((before) => ({ ...before, ...changed }));
  const submit = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      await addBot(bot);
      onClose();
    } catch (failure) {
      setError(reasonOf(failure));
      setBusy(false);
    }
  };
  const config = embedded.find(({ name }) => name === bot.service)?.config ?? {};
  return (
    <Dialog
      title={t("bots.create")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy}>
            {t("bots.create")}
          </Button>
        </>
      }
    >
      <RadioField
        label={t("bots.kind")}
        value={bot.kind}
        options={kinds.map((value) => ({
          value,
          label: t(`bots.kind.${value}`),
          hint: t(`bots.kind.${value}.hint`),
        }))}
        onChange={(value) => set({ kind: kinds.find((kind) => kind === value) ?? bot.kind })}
      />
      <TextField
        label={t("bots.name")}
        required
        autofocus
        maxLength={100}
        value={bot.name}
        onInput={(event) => {
          const name = event.currentTarget.value;
          set(isNamed ? { name } : { name, shortName: shortNameOf(name) });
        }}
      />
      <TextField
        label={t("bots.shortName")}
        hint={t("bots.address", { address: `${bot.shortName || "…"}-bot@` })}
        required
        maxLength={50}
        value={bot.shortName}
        onInput={(event) => {
          setNamed(true);
          set({ shortName: event.currentTarget.value });
        }}
      />
      {bot.kind === "outgoing" && (
        <>
          <TextField
            label={t("bots.url")}
            hint={t("bots.url.hint")}
            type="url"
            required
            value={bot.url}
            onInput={(event) => set({ url: event.currentTarget.value })}
          />
          <SelectField
            label={t("bots.format")}
            value={String(bot.format)}
            options={formatOptions()}
            onChange={(event) => set({ format: Number(event.currentTarget.value) })}
          />
        </>
      )}
      {bot.kind === "embedded" && (
        <>
          <SelectField
            label={t("bots.embedded")}
            value={bot.service}
            options={embedded.map(({ name }) => ({ value: name, label: name }))}
            onChange={(event) => set({ service: event.currentTarget.value, config: {} })}
          />
          {Object.entries(config).map(([name, fallback]) => (
            <TextField
              key={name}
              label={name}
              placeholder={fallback}
              value={bot.config[name] ?? ""}
              onInput={(event) => set({ config: { ...bot.config, [name]: event.currentTarget.value } })}
            />
          ))}
        </>
      )}
      <PictureField
        label={t("bots.picture")}
        hint={bot.picture ? t("bots.pictureChosen") : undefined}
        onChoose={async (picture) => set({ picture })}
        onRemove={bot.picture ? async () => set({ picture: undefined }) : undefined}
      >
        <Chosen picture={bot.picture} name={bot.name} />
      </PictureField>
      <FieldError id="create-bot-error" error={error} />
    </Dialog>
  );
}

function Chosen({ picture, name }: { picture: File | undefined; name: string }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!picture) return undefined;
    const made = URL.createObjectURL(picture);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return <Avatar name={name} src={picture ? url : undefined} size={64} />;
}
