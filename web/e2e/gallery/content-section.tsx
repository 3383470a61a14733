import { useState } from "preact/hooks";
import samples from "virtual:samples";
import { MessageContent } from "../../src/content/message-content.tsx";
import { ContentReader, type Media, type Reader } from "../../src/content/reader.ts";
import { PollWidget, TaskListWidget } from "../../src/content/widgets.tsx";
import { Lightbox } from "../../src/files/lightbox.tsx";
import styles from "./gallery.module.css";
import { Section } from "./section.tsx";

export function ContentSection() {
  const [opened, setOpened] = useState<{ media: readonly Media[]; index: number }>();
  const [reader] = useState<Reader>(() => ({
    isMe: (id) => id === 1,
    isMyGroup: () => false,
    nameOf: (id) => (id === 2 ? "Bo Larsen-Smith" : undefined),
    openUser: () => {},
    openMedia: (media, index) => setOpened({ media, index }),
  }));
  return (
    <Section id="content" title="Message content">
      <ContentReader.Provider value={reader}>
        <div class={styles.stack}>
          {Object.entries(samples).map(([name, html]) => (
            <MessageContent key={name} html={html} />
          ))}
          <PollWidget
            isAuthor
            userId={1}
            nameOf={(id) => ["", "Ada", "Bo", "Grace"][id]}
            onStep={() => {}}
            state={{
              kind: "poll",
              question: "Where do we eat?",
              options: [
                { key: "canned,0", text: "At the river", voters: [1, 2, 3] },
                { key: "canned,1", text: "In the office", voters: [2] },
              ],
            }}
          />
          <TaskListWidget
            isAuthor={false}
            onStep={() => {}}
            state={{
              kind: "todo",
              title: "Before the release",
              tasks: [
                { key: "0,canned", text: "Test the upgrade", description: "on a copy", isDone: true },
                { key: "1,canned", text: "Write the notes", description: "", isDone: false },
              ],
            }}
          />
        </div>
      </ContentReader.Provider>
      {opened && <Lightbox {...opened} onClose={() => setOpened(undefined)} onShowMessage={() => {}} />}
    </Section>
  );
}
