/** A viewer for a message's images and videos: arrows go to the next, plus and minus zoom, dragging moves. */
import "../text/chunks/files.ts";
import { useRef, useState } from "preact/hooks";
import type { Media } from "../content/reader.ts";
import { t } from "../text/t.ts";
import { IconButton } from "../ui/button.tsx";
import { classes } from "../ui/classes.ts";
import { Icon } from "../ui/icon.tsx";
import { Modal } from "../ui/modal.tsx";
import { tip } from "../ui/tooltip.tsx";
import styles from "./lightbox.module.css";

interface LightboxProps {
  media: readonly Media[];
  /** The one shown first. */
  index: number;
  onClose: () => void;
  /** Opens the message it belongs to. */
  onShowMessage?: (() => void) | undefined;
}

interface View {
  zoom: number;
  x: number;
  y: number;
}

const whole: View = { zoom: 1, x: 0, y: 0 };
const most = 8;
const step = 1.4;

function zoomed(view: View, by: number): View {
  const zoom = Math.min(most, Math.max(1, view.zoom * by));
  return zoom === 1 ? whole : { zoom, x: (view.x * zoom) / view.zoom, y: (view.y * zoom) / view.zoom };
}

/** The original, for saving. */
function downloadAddress(src: string): string {
  return src.replace(/(\/user_uploads\/)(?!download\/)/, "$1download/");
}

export function Lightbox({ media, index, onClose, onShowMessage }: LightboxProps) {
  const [at, setAt] = useState(index);
  const [view, setView] = useState(whole);
  const dragged = useRef<{ x: number; y: number }>(undefined);
  const shown = media[at];

  const go = (by: number): void => {
    setAt((old) => (old + by + media.length) % media.length);
    setView(whole);
  };
  const zoom = (by: number): void => setView((old) => zoomed(old, by));
  const move = (x: number, y: number): void =>
    setView((old) => (old.zoom === 1 ? old : { ...old, x: old.x + x, y: old.y + y }));

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Shift and an arrow move the image; an arrow alone goes to the next.
    const direction = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (direction !== undefined && event.shiftKey) move(-direction * 80, 0);
    else if (direction !== undefined && !(event.target instanceof HTMLVideoElement)) go(direction);
    else if (event.shiftKey && (event.key === "ArrowUp" || event.key === "ArrowDown"))
      move(0, event.key === "ArrowUp" ? 80 : -80);
    else if (event.key === "+" || event.key === "=") zoom(step);
    else if (event.key === "-") zoom(1 / step);
    else if (event.key === "0") setView(whole);
    else return;
    event.preventDefault();
  };

  if (shown === undefined) return null;
  const isZoomed = view.zoom > 1;
  return (
    <Modal label={t("lightbox.title")} class={styles.lightbox} onKeyDown={onKeyDown} onClose={onClose}>
      <header class={styles.bar}>
        <div class={styles.title} role="status">
          <strong>{shown.title}</strong>
          {media.length > 1 && (
            <span class={styles.place}>{t("lightbox.place", { index: at + 1, count: media.length })}</span>
          )}
        </div>
        {!shown.isVideo && (
          <>
            <IconButton
              icon="zoom-out"
              label={t("lightbox.zoomOut")}
              keys="-"
              disabled={!isZoomed}
              onClick={() => zoom(1 / step)}
            />
            <IconButton
              icon="zoom-in"
              label={t("lightbox.zoomIn")}
              keys="+"
              disabled={view.zoom >= most}
              onClick={() => zoom(step)}
            />
          </>
        )}
        {onShowMessage && <IconButton icon="message-square" label={t("lightbox.message")} onClick={onShowMessage} />}
        <a
          class={styles.link}
          href={shown.src}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t("lightbox.openTab")}
          {...tip(t("lightbox.openTab"))}
        >
          <Icon name="external-link" size={18} />
        </a>
        <a
          class={styles.link}
          href={downloadAddress(shown.src)}
          download
          aria-label={t("lightbox.download")}
          {...tip(t("lightbox.download"))}
        >
          <Icon name="download" size={18} />
        </a>
        <IconButton icon="x" label={t("lightbox.close")} keys="Esc" onClick={onClose} />
      </header>
      <div
        class={classes(styles.stage, isZoomed && styles.zoomed)}
        onClick={(event) => event.target === event.currentTarget && onClose()}
        onWheel={(event) => {
          event.preventDefault();
          zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15);
        }}
        onDblClick={() => setView(isZoomed ? whole : zoomed(whole, 2.5))}
        onPointerDown={(event) => {
          if (isZoomed) dragged.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerMove={(event) => {
          if (!dragged.current || event.buttons === 0) return;
          move(event.clientX - dragged.current.x, event.clientY - dragged.current.y);
          dragged.current = { x: event.clientX, y: event.clientY };
        }}
        onPointerUp={() => {
          dragged.current = undefined;
        }}
      >
        {shown.isVideo ? (
          <video key={shown.src} class={styles.media} src={shown.src} controls autoplay />
        ) : (
          <img
            key={shown.src}
            class={styles.media}
            src={shown.src}
            alt={shown.title}
            draggable={false}
            style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.zoom})` }}
          />
        )}
        {media.length > 1 && (
          <>
            <IconButton
              icon="chevron-left"
              size={26}
              label={t("lightbox.previous")}
              keys="←"
              class={classes(styles.go, styles.previous)}
              onClick={() => go(-1)}
            />
            <IconButton
              icon="chevron-right"
              size={26}
              label={t("lightbox.next")}
              keys="→"
              class={classes(styles.go, styles.next)}
              onClick={() => go(1)}
            />
          </>
        )}
      </div>
    </Modal>
  );
}
