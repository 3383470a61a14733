/** Crops a picture to a square: dragged with a pointer, or set with three sliders, which also work by keyboard. */
import "../text/chunks/fields.ts";
import "../text/chunks/controls.ts";
import { useEffect, useRef, useState } from "preact/hooks";
import { t, type TextKey } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError } from "../ui/field.tsx";
import { maxZoom, middle, moved, squareOf, type Crop } from "./crop.ts";
import styles from "./crop-dialog.module.css";

interface CropDialogProps {
  file: File;
  onCropped: (picture: File) => void;
  onClose: () => void;
}

/** In pixels; the server scales it down for small avatars. */
const side = 512;

const sliders: { of: keyof Crop; label: TextKey; min: number; max: number }[] = [
  { of: "zoom", label: "picture.zoom", min: 1, max: maxZoom },
  { of: "x", label: "picture.horizontal", min: 0, max: 1 },
  { of: "y", label: "picture.vertical", min: 0, max: 1 },
];

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap, crop: Crop): void {
  const { left, top, side: kept } = squareOf(picture, crop);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.imageSmoothingQuality = "high";
  context.clearRect(0, 0, side, side);
  context.drawImage(picture, left, top, kept, kept, 0, 0, side, side);
}

export function CropDialog({ file, onCropped, onClose }: CropDialogProps) {
  const [picture, setPicture] = useState<ImageBitmap>();
  const [error, setError] = useState<string>();
  const [crop, setCrop] = useState(middle);
  const canvas = useRef<HTMLCanvasElement>(null);
  const small = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    createImageBitmap(file).then(setPicture, () => setError(t("picture.unreadable")));
  }, [file]);
  useEffect(() => {
    if (!picture) return;
    for (const { current } of [canvas, small]) if (current) draw(current, picture, crop);
  }, [picture, crop]);
  const finish = (): void => {
    canvas.current?.toBlob((blob) => {
      if (blob) onCropped(new File([blob], "picture.png", { type: blob.type }));
    }, "image/png");
  };
  const drag = (event: PointerEvent & { currentTarget: HTMLCanvasElement }): void => {
    if (!picture || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const shown = event.currentTarget.clientWidth;
    const by = { right: event.movementX / shown, down: event.movementY / shown };
    setCrop((before) => moved(picture, before, by));
  };
  return (
    <Dialog
      title={t("picture.crop")}
      onClose={onClose}
      keepsOnOutsidePress
      onSubmit={() => picture && finish()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" aria-disabled={!picture}>
            {t("picture.use")}
          </Button>
        </>
      }
    >
      <FieldError id="crop-error" error={error} />
      <div class={styles.pictures}>
        <canvas
          ref={canvas}
          class={styles.large}
          width={side}
          height={side}
          role="img"
          aria-label={t("picture.preview")}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
        />
        <canvas ref={small} class={styles.small} width={side} height={side} aria-hidden="true" />
      </div>
      {sliders.map(({ of, label, min, max }) => (
        <label key={of} class={styles.slider}>
          <span>{t(label)}</span>
          <input
            type="range"
            min={min}
            max={max}
            step={(max - min) / 50}
            value={crop[of]}
            onInput={(event) => {
              const value = event.currentTarget.valueAsNumber;
              setCrop((before) => ({ ...before, [of]: value }));
            }}
          />
        </label>
      ))}
    </Dialog>
  );
}
