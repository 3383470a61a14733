/** Go anywhere, do anything: one field over everything, and a search of all messages as the last row. */
import "../text/chunks/palette.ts";
import { useEffect, useMemo, useState } from "preact/hooks";
import { MoreTopics } from "../store/more-topics.ts";
import { t } from "../text/t.ts";
import { useCombobox } from "../ui/combobox.ts";
import { Finder } from "../ui/finder.tsx";
import { loadSettings } from "./setting-entries.ts";
import { findEntries, searchEntry } from "./entries.ts";

export default function Palette({ onClose }: { onClose: () => void }) {
  const [query, setQuery] = useState("");
  const found = findEntries(query);
  const more = useMemo(() => new MoreTopics(), []);
  useEffect(() => more.want(query), [query]);
  useEffect(() => () => more.stop(), []);
  useEffect(loadSettings, []);
  const combobox = useCombobox({
    options: query.trim() === "" ? found : [...found, searchEntry(query.trim())],
    query,
    onChoose: (entry) => {
      onClose();
      // After the dialog has given focus back.
      queueMicrotask(entry.run);
    },
  });
  return (
    <Finder
      title={t("palette.title")}
      placeholder={t("palette.placeholder")}
      text={query}
      onText={setQuery}
      combobox={combobox}
      onClose={onClose}
    />
  );
}
