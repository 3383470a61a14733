/** Animated images of messages: they play always, while pointed at or focused, or never, as the reader's setting says. */
import { effect } from "@preact/signals";
import { part } from "../store/state.ts";

const moving = /-anim\.webp$/;
const animated = "img[data-animated]";

type Policy = "always" | "on_hover" | "never";

const policy = (): Policy => {
  const chosen = part("user_settings").value?.web_animate_image_previews ?? "on_hover";
  return chosen === "always" && matchMedia("(prefers-reduced-motion: reduce)").matches ? "on_hover" : chosen;
};

/** The server names the moving thumbnail, and has a still one beside it. */
const urls = new WeakMap<HTMLImageElement, { moving: string; still: string }>();

function play(image: HTMLImageElement, isPlaying: boolean): void {
  const url = urls.get(image);
  if (url) image.src = isPlaying ? url.moving : url.still;
}

export function stillAnimations(root: ParentNode): void {
  for (const image of root.querySelectorAll<HTMLImageElement>(animated)) {
    const source = image.getAttribute("src") ?? "";
    if (!moving.test(source)) continue;
    urls.set(image, { moving: source, still: source.replace(moving, ".webp") });
    play(image, policy() === "always");
    const frame = image.closest("a") ?? image;
    const onHover = (isPlaying: boolean) => () => policy() === "on_hover" && play(image, isPlaying);
    frame.addEventListener("pointerenter", onHover(true));
    frame.addEventListener("focus", onHover(true));
    frame.addEventListener("pointerleave", onHover(false));
    frame.addEventListener("blur", onHover(false));
  }
}

/** Follows a change of the setting, for images on screen. */
effect(() => {
  const isPlaying = policy() === "always";
  for (const image of document.querySelectorAll<HTMLImageElement>(animated)) play(image, isPlaying);
});
