import { avatarColor, avatarColors } from "@skein/api/avatar-color.ts";
import { render } from "@testing-library/preact";
import { expect, test } from "vitest";
import { Avatar } from "./avatar.tsx";

const shown = (src: string | null) => {
  const { container } = render(<Avatar name="Ada Lovelace" src={src} />);
  const initials = container.querySelector<HTMLElement>("[aria-hidden]");
  return {
    picture: container.querySelector("img")?.getAttribute("src"),
    initials: initials?.textContent,
    color: initials?.style.getPropertyValue("--color"),
  };
};

test("people without a picture have initials on their own color, and nothing is fetched", () => {
  const local = shown("/avatar/17?version=1");

  expect(local).toEqual({ picture: undefined, initials: "AL", color: avatarColor(17) });
  expect(shown("/avatar/17/medium?version=2")).toEqual(local);
  expect(avatarColor(17)).not.toBe(avatarColor(18));
});

test("an uploaded picture is shown, and an unknown one is requested", () => {
  expect(shown("/user_avatars/abc.png?version=2").picture).toBe("/user_avatars/abc.png?version=2");
  expect(shown("/avatar/17").picture).toBe("/avatar/17");
  expect(shown(null)).toEqual({ picture: undefined, initials: "AL", color: "" });
});

test("white initials are readable on every color", () => {
  const light = (hex: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  for (const color of avatarColors) expect(1.05 / (light(color) + 0.05)).toBeGreaterThanOrEqual(4.5);
});
