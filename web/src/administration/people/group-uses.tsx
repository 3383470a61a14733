/** Where a group is used: as part of another group, and in permissions. */
import "../../text/chunks/members.ts";
import { channelSections } from "../../descriptors/channel.ts";
import { groupPermissions } from "../../descriptors/groups.ts";
import { organizationSections } from "../../descriptors/organization.ts";
import { settingsIn, type Section } from "../../descriptors/setting.ts";
import { addressOf } from "../../navigation/router.ts";
import { usesOfGroup, type GroupUse } from "../../store/group-rules.ts";
import { groupName } from "../../store/group-settings.ts";
import { t } from "../../text/t.ts";
import styles from "./people.module.css";

interface Found {
  section: Section | undefined;
  label: string;
}

/** A setting that no page describes is shown by its name. */
function find(sections: readonly Section[], name: string): Found {
  for (const section of sections) {
    const setting = settingsIn(section).find((each) => each.name === name && each.scope !== "subscription");
    if (setting) return { section, label: t(setting.label) };
  }
  return { section: undefined, label: name.replaceAll("_", " ") };
}

function describe(use: GroupUse): { text: string; address: string } {
  switch (use.kind) {
    case "subgroup":
      return { text: t("groups.usedAsSubgroup", { name: groupName(use.group) }), address: groupAddress(use.group.id) };
    case "group": {
      const setting = groupPermissions.settings.find(({ name }) => name === use.setting);
      const label = setting ? t(setting.label) : use.setting;
      return {
        text: t("groups.usedInGroup", { name: groupName(use.group), label }),
        address: groupAddress(use.group.id),
      };
    }
    case "organization": {
      const { section, label } = find(organizationSections, use.setting);
      const address = addressOf({ kind: "organization", section: section?.id ?? "", item: use.setting });
      return { text: t("groups.usedInOrganization", { label }), address };
    }
    case "channel": {
      const { section, label } = find(channelSections, use.setting);
      const channelId = use.channel.stream_id;
      const address = addressOf({ kind: "channel-settings", channelId, section: section?.id ?? "", item: use.setting });
      return { text: t("groups.usedInChannel", { name: use.channel.name, label }), address };
    }
  }
}

const groupAddress = (id: number) => addressOf({ kind: "organization", section: "user-groups", item: String(id) });

export function Uses({ groupId }: { groupId: number }) {
  const uses = usesOfGroup(groupId).map(describe);
  return (
    <section aria-labelledby="group-uses">
      <h3 id="group-uses">{t("groups.uses")}</h3>
      {uses.length === 0 ? (
        <p class={styles.quiet}>{t("groups.noUses")}</p>
      ) : (
        <ul class={styles.uses}>
          {uses.map(({ text, address }) => (
            <li key={`${address} ${text}`}>
              <a href={address}>{text}</a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
