/** Every widget in its states; `?show=` selects one section. */
import { render } from "preact";
import "../../src/styles/tokens.css";
import "../../src/styles/base.css";
import { toFragment } from "../../src/content/insert.ts";
import { LiveRegion } from "../../src/ui/live-region.tsx";
import { Toasts } from "../../src/ui/toast.tsx";
import { TooltipHost } from "../../src/ui/tooltip.tsx";
import styles from "./gallery.module.css";
import { ComposerSection } from "./composer-section.tsx";
import { ContentSection } from "./content-section.tsx";
import { FieldsSection } from "./fields-section.tsx";
import { FloatingSection } from "./floating-section.tsx";
import { WidgetsSection } from "./widgets-section.tsx";

const wanted = new URLSearchParams(location.search).get("show");
const sections = {
  buttons: WidgetsSection,
  fields: FieldsSection,
  content: ContentSection,
  composer: ComposerSection,
  floating: FloatingSection,
};

// For a test that inserts arbitrary HTML.
Object.assign(globalThis, { toFragment });

render(
  <div class={styles.gallery}>
    <h1>Gallery</h1>
    {Object.entries(sections).map(([name, Section]) => (wanted ?? name) === name && <Section key={name} />)}
    <Toasts />
    <LiveRegion />
    <TooltipHost />
  </div>,
  document.querySelector("#gallery") as HTMLElement, // in index.html
);
