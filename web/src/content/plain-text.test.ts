// @vitest-environment node
import { expect, test } from "vitest";
import { plainText } from "./plain-text.ts";

test("an emoji is shown as its character, or by its name if it has none", () => {
  const tada = '<span aria-label="tada" class="emoji emoji-1f389" role="img" title="tada">:tada:</span>';
  const family =
    '<span aria-label="family" class="emoji emoji-1f468-200d-1f469" role="img" title="family">:family:</span>';
  const own = '<img alt=":ship_it:" class="emoji" src="/user_avatars/1/emoji/ship.png" title="ship it">';

  expect(plainText(`<p>Done ${tada}</p>`)).toBe("Done 🎉");
  expect(plainText(`<p>${family}</p>`)).toBe("👨‍👩");
  expect(plainText(`<p>Go ${own} now</p>`)).toBe("Go :ship_it: now");
});
