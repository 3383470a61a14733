import { useState } from "preact/hooks";
import { Avatar } from "../../src/ui/avatar.tsx";
import { Button, IconButton } from "../../src/ui/button.tsx";
import { iconNames } from "../../src/ui/icon-names.ts";
import { Icon } from "../../src/ui/icon.tsx";
import { MenuButton, type MenuEntry } from "../../src/ui/menu.tsx";
import { Rows } from "../../src/ui/rows.tsx";
import { Skeleton } from "../../src/ui/skeleton.tsx";
import { tabPanel, Tabs } from "../../src/ui/tabs.tsx";
import { toast } from "../../src/store/toasts.ts";
import styles from "./gallery.module.css";
import { Section } from "./section.tsx";

const nothing = (): void => {};

export const menuEntries: readonly MenuEntry[] = [
  {
    label: "Follow",
    icon: "bell",
    hint: "Get notified about every message",
    checked: false,
    isChoice: true,
    onSelect: nothing,
  },
  {
    label: "Default",
    icon: "message-circle",
    hint: "Same as the channel",
    checked: true,
    isChoice: true,
    onSelect: nothing,
  },
  {
    label: "Mute",
    icon: "bell-off",
    hint: "Left out of your Inbox",
    checked: false,
    isChoice: true,
    onSelect: nothing,
  },
  "line",
  { label: "Copy link", icon: "link", keys: "l", onSelect: nothing },
  { label: "Move topic…", icon: "move-right", keys: "m", disabled: true, onSelect: nothing },
  { label: "Delete", icon: "trash-2", isDangerous: true, onSelect: nothing },
];

const people = Array.from({ length: 5000 }, (_, index) => `Person number ${index + 1}`);

export function WidgetsSection() {
  const [tab, setTab] = useState("unread");
  return (
    <>
      <Section id="buttons" title="Buttons, pictures, tabs">
        <div class={styles.row}>
          <Button kind="primary">Send invitation</Button>
          <Button>Plain</Button>
          <Button kind="quiet">Quiet</Button>
          <Button kind="danger" icon="trash-2">
            Delete channel
          </Button>
          <Button kind="primary" busy>
            Saving
          </Button>
          <Button disabled>Disabled</Button>
        </div>
        <div class={styles.row}>
          <IconButton icon="star" label="Star" keys="Mod+S" />
          <IconButton icon="bell" label="Follow" pressed />
          <IconButton icon="pencil" label="Edit" disabled />
          <MenuButton icon="ellipsis" label="Topic menu" entries={menuEntries} />
          <Button onClick={() => toast("12 messages marked as read", { undo: nothing })}>Show a notice</Button>
          <Avatar name="Ada Lovelace" presence="active" />
          <Avatar name="Bo Larsen" presence="idle" />
          <Avatar name="Grace Hopper" src="/pictures/64x64.svg" presence="active" />
          <Avatar name="Tiny" size={20} />
          <Avatar name="Large One" size={56} presence="idle" />
        </div>
        <Tabs
          id="gallery-tabs"
          label="Inbox"
          tabs={[
            { id: "unread", label: "Unread", count: 23 },
            { id: "recent", label: "Recent" },
            { id: "followed", label: "Followed", count: 4 },
          ]}
          selected={tab}
          onSelect={setTab}
        />
        <div {...tabPanel("gallery-tabs", tab)} tabIndex={0}>
          <p>What the tab “{tab}” shows.</p>
        </div>
      </Section>
      <Section id="icons" title="Icons">
        <div class={styles.row}>
          {iconNames.map((name) => (
            <Icon key={name} name={name} size={18} />
          ))}
        </div>
      </Section>
      <Section id="lists" title="Lists">
        <div class={styles.columns}>
          <Rows
            items={people}
            height={40}
            label="People"
            class={styles.list}
            keyOf={(name) => name}
            render={(name) => (
              <div class={styles.person}>
                <Avatar name={name} />
                {name}
              </div>
            )}
          />
          <Skeleton rows={4} height={44} hasAvatar />
        </div>
      </Section>
    </>
  );
}
