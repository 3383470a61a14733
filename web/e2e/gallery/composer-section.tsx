import samples from "virtual:samples";
import { Composer, type ComposerProps, type Drafts } from "../../src/composer/composer.tsx";
import { Matcher } from "../../src/text/matching.ts";
import {
  channelBeforeTopicText,
  channelText,
  mentionText,
  topicText,
  type TypeaheadSources,
} from "../../src/composer/sources.ts";
import { emojiSource } from "../../src/store/emoji-source.ts";
import { suggestEmoji } from "../../src/composer/suggest-emoji.ts";
import { UploadError } from "../../src/api/upload-error.ts";
import { Button } from "../../src/ui/button.tsx";
import { Menu } from "../../src/ui/menu.tsx";
import { Icon } from "../../src/ui/icon.tsx";
import styles from "./gallery.module.css";
import { people } from "./people.ts";
import { Section } from "./section.tsx";

const emoji = emojiSource(
  () => "/emoji.json",
  () => [{ id: "1", name: "parrot", source_url: "/user_avatars/2/emoji/parrot.svg", deactivated: false }],
);

const matcher = new Matcher(people, ({ label, detail }) => `${label}\n${detail}`);
const channels = ["design", "development", "design reviews", "general"];

const sources: TypeaheadSources = {
  person: ({ query, isSilent }) =>
    matcher.find(query, 8).map((person) => ({ ...person, insert: mentionText(person.label, isSilent) })),
  channel: ({ query }) =>
    channels
      .filter((name) => name.startsWith(query))
      .map((name) => ({
        key: name,
        label: name,
        icon: "hash",
        insert: channelText(name),
        insertForTopics: channelBeforeTopicText(name),
      })),
  topic: ({ query, channel = "" }) =>
    ["logo colours", "type", "spacing"]
      .filter((topic) => topic.startsWith(query))
      .map((topic) => ({ key: topic, label: topic, detail: `#${channel}`, insert: topicText(channel, topic) })),
  emoji: suggestEmoji(emoji),
};

const draftsOf = (text: string): Drafts => {
  const kept = new Map<string, string>();
  return { read: (key) => kept.get(key) ?? text, write: (key, now) => kept.set(key, now) };
};

const upload: ComposerProps["upload"] = (file, { onProgress }) =>
  new Promise((resolve, reject) => {
    onProgress(0.6);
    if (file.name.includes("failing")) reject(new UploadError("The connection was lost.", true));
    else if (!file.name.includes("slow")) resolve({ url: `/user_uploads/2/ab/${file.name}`, filename: file.name });
  });

const common = {
  label: "Message #design › logo colours",
  enterSends: true,
  maxLength: 10_000,
  sources,
  emoji,
  upload,
  renderPreview: () => samples["mentions"] ?? "",
  onSend: () => {},
} satisfies Partial<ComposerProps>;

const empty = draftsOf("");
const written = draftsOf("Shall we ship the **new palette** on Tuesday?\n\n* contrast is fine\n* dark is done");
const long = draftsOf("word ".repeat(19).trimEnd());

export const ComposerSection = () => (
  <Section id="composer" title="Composer">
    <div class={styles.stack}>
      <Composer {...common} draftKey="empty" drafts={empty} />
      <Composer
        {...common}
        label="Message #general › hello"
        draftKey="written"
        drafts={written}
        sendLater={({ anchor, onClose }) => (
          <Menu
            anchor={anchor}
            label="Send later"
            place="aboveEnd"
            entries={[{ label: "In an hour", icon: "clock", onSelect: () => {} }]}
            onClose={onClose}
          />
        )}
        warnings={
          <div class={styles.row} style={{ margin: 0, fontSize: "var(--size-control)", color: "var(--text-2)" }}>
            <Icon name="triangle-alert" /> Annie Easley is not subscribed and will not see this.{" "}
            <Button kind="quiet">Subscribe</Button>
          </div>
        }
      />
      <Composer {...common} label="Message Grace Hopper" draftKey="long" drafts={long} maxLength={90} />
    </div>
  </Section>
);
