/** Creates a channel: its name, description, privacy and subscribers, and, folded, who may do what in it. */
import "../text/chunks/fields.ts";
import "../text/chunks/channel.ts";
import "../text/chunks/channel-settings.ts";
import "../text/chunks/privacy.ts";
import type { GroupSettingValue } from "@skein/api/group-setting.ts";
import { subscribe } from "@skein/api/routes/subscriptions.ts";
import { useRef, useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { PermissionField } from "../controls/permission-field.tsx";
import { RetentionField } from "../controls/retention-field.tsx";
import { folderOptions, topicsPolicies } from "../descriptors/channel.ts";
import { go } from "../navigation/router.ts";
import { idsOf, suggestPeople } from "../parts/people-chips.ts";
import { focusComposerThere } from "../commands/composer-handle.ts";
import { channelPermissions, initialPermission, lockOn, type ChannelPermission } from "../store/channel-permissions.ts";
import { privaciesForNew, propertiesOf, type Privacy } from "../store/channel-privacy.ts";
import { findChannelByName } from "../store/channels.ts";
import { reasonOf } from "../store/reasons.ts";
import { retentionRequest } from "../store/retention.ts";
import { isAdministrator, isOwner } from "../store/roles.ts";
import { ownId, part } from "../store/state.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { ChipsField, type Chip } from "../ui/chips.tsx";
import { CheckField, RadioField } from "../ui/choices.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import styles from "./create-channel-dialog.module.css";

/** What few people change. Only what was changed is requested. */
interface Advanced {
  isDefault: boolean;
  retention: number | null;
  topicsPolicy: (typeof topicsPolicies)[number]["value"];
  permissions: Partial<Record<ChannelPermission, GroupSettingValue>>;
}

export default function CreateChannelDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [privacy, setPrivacy] = useState<Privacy>(part("can_create_public_streams").peek() ? "public" : "private");
  const [people, setPeople] = useState<Chip[]>([]);
  const [folderId, setFolderId] = useState<number | null>(null);
  const [advanced, setAdvanced] = useState<Advanced>({
    isDefault: false,
    retention: null,
    topicsPolicy: "inherit",
    permissions: {},
  });
  // Enter in a field may change it and submit the form at once.
  const latest = useRef(advanced);
  const [error, setError] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const taken = name.trim() !== "" && findChannelByName(name.trim()) !== undefined ? t("channel.taken") : undefined;
  const properties = propertiesOf(privacy);
  const folders = folderOptions();

  const create = async (): Promise<void> => {
    const wanted = name.trim();
    if (wanted === "" || taken !== undefined) return;
    setBusy(true);
    setError(undefined);
    const { isDefault, retention, topicsPolicy } = latest.current;
    // What was chosen for another privacy may not be possible with this one.
    const permissions = Object.entries(latest.current.permissions).filter(([each]) => !lockOn(each, properties));
    try {
      await call(subscribe, {
        subscriptions: [{ name: wanted, description }],
        principals: [ownId.peek(), ...idsOf(people)],
        ...properties,
        announce: !properties.invite_only,
        ...(folderId === null ? {} : { folder_id: folderId }),
        ...(Object.fromEntries(permissions) as Advanced["permissions"]), // some of them
        ...(topicsPolicy === "inherit" ? {} : { topics_policy: topicsPolicy }),
        ...(isDefault && !properties.invite_only ? { is_default_stream: true } : {}),
        ...(retention === null ? {} : { message_retention_days: retentionRequest(retention) }),
      });
      onClose();
      openWhenKnown(wanted);
    } catch (failure) {
      setError(reasonOf(failure));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Dialog
      title={t("channel.create")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => void create()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={name.trim() === "" || taken !== undefined}>
            {t("channel.createNow")}
          </Button>
        </>
      }
    >
      <div class={styles.form}>
        <TextField
          label={t("channel.name")}
          value={name}
          error={taken ?? error}
          maxLength={part("max_stream_name_length").value ?? 60}
          autofocus
          autocomplete="off"
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <TextField
          label={t("channel.description")}
          isOptional
          value={description}
          maxLength={part("max_stream_description_length").value ?? 1024}
          onInput={(event) => setDescription(event.currentTarget.value)}
        />
        <RadioField
          label={t("channel.privacy")}
          value={privacy}
          options={privaciesForNew().map((value) => ({
            value,
            label: t(`privacy.${value}`),
            hint: t(`privacy.${value}Hint`),
          }))}
          onChange={(value) => setPrivacy(value as Privacy)} // one of those above
        />
        <ChipsField
          label={t("channel.people")}
          isOptional
          chips={people}
          onChange={setPeople}
          suggest={suggestPeople}
        />
        {folders.length > 1 && (
          <SelectField
            label={t("channelSettings.folder_id")}
            value={String(folderId)}
            options={folders.map(({ value, label }) => ({ value: String(value), label }))}
            onChange={({ currentTarget }) =>
              setFolderId(folders.find(({ value }) => String(value) === currentTarget.value)?.value ?? null)
            }
          />
        )}
        <AdvancedFields
          value={advanced}
          properties={properties}
          onChange={(change) => {
            latest.current = { ...latest.current, ...change };
            setAdvanced(latest.current);
          }}
        />
      </div>
    </Dialog>
  );
}

interface AdvancedFieldsProps {
  value: Advanced;
  properties: ReturnType<typeof propertiesOf>;
  onChange: (change: Partial<Advanced>) => void;
}

function AdvancedFields({ value, properties, onChange }: AdvancedFieldsProps) {
  const { isDefault, retention, topicsPolicy, permissions } = value;
  const isPrivate = properties.invite_only;
  const [isOpen, setOpen] = useState(false);
  const permissionFields = (group: keyof typeof channelPermissions) =>
    channelPermissions[group].map((name) => {
      const lock = lockOn(name, properties);
      const hint = t(`channelSettings.${name}Hint`);
      return (
        <PermissionField
          key={name}
          kind="stream"
          name={name}
          label={t(`channelSettings.${name}`)}
          hint={lock ? `${hint} ${t(`channelSettings.${lock}`)}` : hint}
          value={(lock ? undefined : permissions[name]) ?? initialPermission(name)}
          disabled={lock !== undefined}
          saved={false}
          error={undefined}
          onChange={(chosen) => onChange({ permissions: { ...permissions, [name]: chosen } })}
        />
      );
    });
  return (
    <details class={styles.advanced} open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Icon name="chevron-right" size={16} />
        {t("channelSettings.advanced")}
      </summary>
      {isOpen && (
        <div class={styles.fields}>
          {permissionFields("messages")}
          {!lockOn("topics_policy", properties) && (
            <RadioField
              label={t("channelSettings.topics_policy")}
              value={topicsPolicy}
              options={topicsPolicies.map((each) => ({ value: each.value, label: t(each.label), hint: t(each.hint) }))}
              onChange={(chosen) => onChange({ topicsPolicy: chosen as Advanced["topicsPolicy"] })} // one of those above
            />
          )}
          {permissionFields("topics")}
          {permissionFields("people")}
          {isAdministrator() && (
            <CheckField
              label={t("channelSettings.is_default_stream")}
              hint={t(isPrivate ? "channelSettings.privateIsNoDefault" : "channelSettings.is_default_streamHint")}
              checked={isDefault && !isPrivate}
              disabled={isPrivate}
              onChange={(checked) => onChange({ isDefault: checked })}
            />
          )}
          {isOwner() && (
            <RetentionField
              label={t("channelSettings.message_retention_days")}
              hint={t("channelSettings.retentionHint")}
              value={retention}
              disabled={false}
              saved={false}
              error={undefined}
              onChange={(days) => onChange({ retention: days })}
            />
          )}
        </div>
      )}
    </details>
  );
}

const lookEvery = 30;
const maxWait = 5000;

/** The event may arrive after the response. */
function openWhenKnown(name: string, waited = 0): void {
  const channel = findChannelByName(name);
  if (channel) {
    go({ kind: "channel", channelId: channel.stream_id, tab: "topics" });
    focusComposerThere();
  } else if (waited < maxWait) setTimeout(() => openWhenKnown(name, waited + lookEvery), lookEvery);
}
