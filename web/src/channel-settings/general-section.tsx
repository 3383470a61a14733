/** What a channel is: its name and description, who can read it, how long messages are kept, and its end. */
import "../text/chunks/channel-settings.ts";
import { MessageContent } from "../content/message-content.tsx";
import { SettingControl } from "../controls/setting-control.tsx";
import type { SectionViewProps } from "../controls/settings-page.tsx";
import { elementId, settingsIn, type Section } from "../descriptors/setting.ts";
import { mayAdminister } from "../store/channel-permissions.ts";
import { findChannel, type Channel } from "../store/channels.ts";
import { findKnownPerson } from "../store/people.ts";
import { isGuest } from "../store/roles.ts";
import { t } from "../text/t.ts";
import { dayName } from "../text/time.ts";
import { ArchiveSetting } from "./archive-setting.tsx";
import { DefaultSetting } from "./default-setting.tsx";
import { EmailAddress } from "./email-address.tsx";
import styles from "./general-section.module.css";
import { AccessNotes } from "./note.tsx";
import { PrivacySetting } from "./privacy-setting.tsx";
import { RetentionSetting } from "./retention-setting.tsx";

export default function GeneralSection({ section, subjectId }: SectionViewProps) {
  const channel = findChannel(subjectId);
  if (!channel) return null;
  return (
    <>
      <AccessNotes channel={channel} />
      <NameAndDescription section={section} channel={channel} />
      <PrivacySetting channel={channel} />
      <Drawn name="folder_id" section={section} channel={channel} />
      {!isGuest() && <DefaultSetting channel={channel} />}
      <RetentionSetting channel={channel} />
      <EmailAddress channel={channel} />
      {mayAdminister(channel) && <ArchiveSetting channel={channel} />}
      <Facts channel={channel} />
    </>
  );
}

/** A control that is drawn from its description. */
function Drawn({ name, section, channel }: { name: string; section: Section; channel: Channel }) {
  const setting = settingsIn(section).find((each) => each.name === name);
  return (
    setting && (
      <SettingControl
        setting={setting}
        subjectId={channel.stream_id}
        lockedBecause={mayAdminister(channel) ? undefined : ""}
      />
    )
  );
}

function NameAndDescription({ section, channel }: { section: Section; channel: Channel }) {
  const rendered = channel.description !== "" && (
    <MessageContent html={channel.rendered_description} class={styles.rendered} />
  );
  return (
    <>
      <Drawn name="name" section={section} channel={channel} />
      {mayAdminister(channel) ? (
        <div class={styles.description}>
          <Drawn name="description" section={section} channel={channel} />
          {rendered}
        </div>
      ) : (
        <div id={elementId("description")} class={styles.description}>
          <h3 class={styles.label}>{t("channelSettings.description")}</h3>
          {rendered || <p class={styles.none}>{t("channelSettings.noDescription")}</p>}
        </div>
      )}
    </>
  );
}

function Facts({ channel: { creator_id, date_created, stream_weekly_traffic: traffic } }: { channel: Channel }) {
  const name = creator_id === null ? undefined : findKnownPerson(creator_id)?.full_name;
  const day = dayName(date_created);
  return (
    <p class={styles.facts}>
      {name === undefined ? t("channelSettings.created", { day }) : t("channelSettings.createdBy", { day, name })}
      {traffic !== null && ` · ${t("channelSettings.traffic", { count: traffic })}`}
    </p>
  );
}
