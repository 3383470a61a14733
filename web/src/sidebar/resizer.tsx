/** The edge of the sidebar: dragged, or moved by arrow keys. */
import { resizeSidebar, sidebar, sidebarWidths } from "../navigation/drawer.ts";
import { t } from "../text/t.ts";
import styles from "./sidebar.module.css";

const step = 16;

/** The width at which the edge is at this position. */
function widthAt({ clientX, currentTarget }: PointerEvent): number {
  const nav = (currentTarget as HTMLElement).parentElement; // the handler is on the edge
  const { left = 0, right = 0 } = nav?.getBoundingClientRect() ?? {};
  return document.dir === "rtl" ? right - clientX : clientX - left;
}

export default function Resizer() {
  const { width } = sidebar.value;
  return (
    <div
      class={styles.edge}
      role="separator"
      aria-orientation="vertical"
      aria-label={t("sidebar.resize")}
      aria-valuenow={width}
      aria-valuemin={sidebarWidths.least}
      aria-valuemax={sidebarWidths.most}
      tabIndex={0}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) resizeSidebar(widthAt(event));
      }}
      onDblClick={() => resizeSidebar(sidebarWidths.usual)}
      onKeyDown={(event) => {
        const forward = document.dir === "rtl" ? "ArrowLeft" : "ArrowRight";
        if (event.key === "Home") resizeSidebar(sidebarWidths.least);
        else if (event.key === "End") resizeSidebar(sidebarWidths.most);
        else if (/^Arrow(?:Left|Right)$/.test(event.key)) resizeSidebar(width + (event.key === forward ? step : -step));
        else return;
        event.preventDefault();
      }}
    />
  );
}
