/**
 * A place with several pages of settings: their list with a search over all settings, and the current page. On a narrow
 * screen the list is a page of its own, shown while the address names none.
 */
import "../text/chunks/controls.ts";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { elementId, settingsIn, type Section } from "../descriptors/setting.ts";
import { Nowhere } from "../parts/nowhere.tsx";
import { PageHeader } from "../parts/page-header.tsx";
import page from "../parts/page.module.css";
import { go } from "../navigation/router.ts";
import { Matcher } from "../text/matching.ts";
import { t } from "../text/t.ts";
import { classes } from "../ui/classes.ts";
import { FilterField } from "../ui/filter-field.tsx";
import { Icon } from "../ui/icon.tsx";
import { Lazy } from "../ui/lazy.tsx";
import styles from "./settings-page.module.css";
import { SettingGroups } from "./settings-section.tsx";

export interface SectionViewProps {
  section: Section;
  /** The channel or group whose settings they are. */
  subjectId: number;
  /** The end of the address: the number of what the page is about, such as a user, or a setting to go to. */
  item?: string | undefined;
}

/** Pages that show more than settings, by the id of their section. */
export type SectionViews = Readonly<Record<string, () => Promise<{ default: ComponentType<SectionViewProps> }>>>;

interface SettingsPageProps {
  title: ComponentChildren;
  /** In the header. */
  actions?: ComponentChildren;
  sections: readonly Section[];
  views: SectionViews;
  /** From the address; empty if it names none. */
  current: string;
  /** The setting to go to. */
  item?: string | undefined;
  subjectId?: number;
  addressOf: (section: string, item?: string) => string;
}

interface Found {
  section: Section;
  /** The setting's or item's name in the address. */
  id: string;
  label: string;
  text: string;
}

const maxFound = 30;

const findable = (sections: readonly Section[]): Found[] =>
  sections.flatMap((section) => [
    ...settingsIn(section)
      .filter(({ isOffered }) => isOffered?.() !== false)
      .map(({ name, label, hint }) => ({
        section,
        id: name,
        label: t(label),
        text: `${t(label)}\n${hint === undefined ? "" : t(hint)}\n${t(section.label)}`,
      })),
    ...(section.items ?? [])
      .filter(({ isOffered }) => isOffered?.() !== false)
      .map(({ id, label }) => ({
        section,
        id,
        label: t(label),
        text: `${t(label)}\n${t(section.label)}`,
      })),
  ]);

export function SettingsPage(props: SettingsPageProps) {
  const { title, actions, views, current, item, subjectId = 0, addressOf } = props;
  const sections = props.sections.filter(({ isShown }) => isShown?.() !== false);
  const [query, setQuery] = useState("");
  const section = current === "" ? sections[0] : sections.find(({ id }) => id === current);
  const found =
    query.trim() === "" ? undefined : new Matcher(findable(sections), ({ text }) => text).find(query, maxFound);
  if (!section) return <Nowhere />;
  return (
    <div class={page.page}>
      <PageHeader title={title} actions={actions} />
      <div class={styles.columns} data-shows={current === "" ? "list" : "section"}>
        <nav class={styles.list} aria-label={t("settings.sections")}>
          <FilterField
            label={t("settings.find")}
            value={query}
            onChange={setQuery}
            onEnter={() => {
              const [first] = found ?? [];
              if (first) go(addressOf(first.section.id, first.id));
            }}
          />
          {found ? (
            <FoundSettings found={found} addressOf={addressOf} />
          ) : (
            <ul>
              {sections.map(({ id, label, icon }) => (
                <li key={id}>
                  <a
                    class={classes(styles.link, id === section.id && styles.current)}
                    href={addressOf(id)}
                    aria-current={id === section.id ? "page" : undefined}
                  >
                    <Icon name={icon} />
                    {t(label)}
                  </a>
                </li>
              ))}
            </ul>
          )}
        </nav>
        {/* Focusable, because a page without enabled controls must scroll by keyboard too. */}
        <div
          class={styles.section}
          key={`${section.id} ${subjectId}`}
          role="region"
          aria-label={t(section.label)}
          tabIndex={0}
        >
          <div class={classes(styles.content, section.fills && styles.fills)}>
            <h2 class={styles.heading}>{t(section.label)}</h2>
            {section.hint !== undefined && <p class={styles.hint}>{t(section.hint)}</p>}
            <SectionView section={section} views={views} subjectId={subjectId} item={item} />
            <Reveal item={isNumber.test(item ?? "") ? undefined : item} />
          </div>
        </div>
      </div>
    </div>
  );
}

/** What a page is about; settings have names. */
const isNumber = /^\d+$/;

function SectionView({ section, views, subjectId, item }: SectionViewProps & { views: SectionViews }) {
  const load = views[section.id];
  if (!load) return <SettingGroups groups={section.groups} subjectId={subjectId} />;
  return <Lazy load={load} props={{ section, subjectId, item }} rows={6} />;
}

const FoundSettings = ({
  found,
  addressOf,
}: {
  found: readonly Found[];
  addressOf: SettingsPageProps["addressOf"];
}) => (
  <ul>
    {found.length === 0 && <li class={styles.none}>{t("settings.noneFound")}</li>}
    {found.map(({ section, id, label }) => (
      <li key={`${section.id} ${id}`}>
        <a class={classes(styles.link, styles.found)} href={addressOf(section.id, id)}>
          <span>{label}</span>
          <small>{t(section.label)}</small>
        </a>
      </li>
    ))}
  </ul>
);

const focusable = "input, select, textarea, button, a[href]";

/** Goes to a setting as soon as it is drawn: its page may still be loading. */
function Reveal({ item }: { item: string | undefined }) {
  useEffect(() => {
    if (item === undefined) return undefined;
    const reveal = (): boolean => {
      const element = document.getElementById(elementId(item));
      if (!element) return false;
      element.scrollIntoView({ block: "center" });
      element.dataset["revealed"] = "";
      (element.matches(focusable) ? element : element.querySelector<HTMLElement>(focusable))?.focus({
        preventScroll: true,
      });
      return true;
    };
    if (reveal()) return undefined;
    const observer = new MutationObserver(() => {
      if (reveal()) observer.disconnect();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [item]);
  return null;
}
