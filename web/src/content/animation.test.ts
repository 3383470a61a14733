import { beforeEach, expect, test } from "vitest";
import { replaceState } from "../store/state.ts";
import { stillAnimations } from "./animation.ts";

type Policy = "always" | "on_hover" | "never";

const reader = (web_animate_image_previews: Policy): void =>
  replaceState({ user_id: 5, user_settings: { web_animate_image_previews } as never }); // the field in use

/** A message with an animated image, as the server renders it. */
function message(): { link: HTMLElement; source: () => string | null } {
  document.body.innerHTML = `<div><a href="/f"><img data-animated="true" src="/t/840x560-anim.webp"></a></div>`;
  stillAnimations(document.body);
  const [link, image] = [document.querySelector("a"), document.querySelector("img")];
  if (!link || !image) throw new Error("the message has no image");
  return { link, source: () => image.getAttribute("src") };
}

const [moving, still] = ["/t/840x560-anim.webp", "/t/840x560.webp"];

beforeEach(() => reader("on_hover"));

test("an image moves while it is pointed at or focused", () => {
  const { link, source } = message();
  expect(source()).toBe(still);

  link.dispatchEvent(new Event("pointerenter"));
  expect(source()).toBe(moving);
  link.dispatchEvent(new Event("pointerleave"));
  expect(source()).toBe(still);
});

test("the setting decides, also for images on screen", () => {
  const { link, source } = message();
  reader("always");
  expect(source()).toBe(moving);
  reader("never");
  expect(source()).toBe(still);
  link.dispatchEvent(new Event("pointerenter"));
  expect(source()).toBe(still);
});
