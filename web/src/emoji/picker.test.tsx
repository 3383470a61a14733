import { cleanup, render, screen } from "@testing-library/preact";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { type Emoji, type EmojiSource, listEmoji } from "../text/emoji.ts";
import { EmojiPicker } from "./picker.tsx";

afterEach(cleanup);

const all = listEmoji(
  {
    code_to_names: {
      "1f389": ["tada", "party"],
      "1f44d": ["+1", "thumbs_up"],
      "1f600": ["grinning"],
      "1f680": ["rocket"],
    },
  },
  [{ id: "7", name: "parrot", source_url: "/p.png", deactivated: false }],
);

function setUp(load: EmojiSource["load"] = async () => all) {
  const source = { load, recent: () => ["rocket"], noteUse: vi.fn<(emoji: Emoji) => void>() };
  const onChoose = vi.fn<(emoji: Emoji) => void>();
  render(<EmojiPicker anchor={{ current: null }} source={source} onChoose={onChoose} onClose={() => {}} />);
  return { source, onChoose };
}

test("the most recently used emoji comes first, and Enter chooses it", async () => {
  const { onChoose, source } = setUp();
  const [first] = await screen.findAllByRole("gridcell");
  expect(first?.getAttribute("aria-label")).toBe("rocket");

  await userEvent.type(screen.getByRole("combobox", { name: "Search emoji" }), "{Enter}");

  expect(onChoose.mock.calls[0]?.[0].name).toBe("rocket");
  expect(source.noteUse).toHaveBeenCalledOnce();
});

test("Enter pressed before the names are loaded chooses the first match once they are", async () => {
  const names = Promise.withResolvers<readonly Emoji[]>();
  const { onChoose } = setUp(() => names.promise);

  await userEvent.type(screen.getByRole("combobox"), "tada{Enter}");
  expect(onChoose).not.toHaveBeenCalled();
  names.resolve(all);

  await vi.waitFor(() => expect(onChoose.mock.calls.map(([emoji]) => emoji.name)).toEqual(["tada"]));
});

test("typing searches all names, arrow keys move", async () => {
  const { onChoose } = setUp();
  await screen.findAllByRole("gridcell");

  await userEvent.type(screen.getByRole("combobox"), "par");
  expect(screen.getAllByRole("gridcell").map((cell) => cell.getAttribute("aria-label"))).toEqual(["parrot", "tada"]);
  await userEvent.keyboard("{ArrowDown}{ArrowUp}{Enter}");

  expect(onChoose.mock.calls[0]?.[0]).toMatchObject({ name: "parrot", emoji_code: "7", reaction_type: "realm_emoji" });
});

test("an empty result is reported, and a failed load can be retried", async () => {
  let isDown = true;
  setUp(async () => {
    if (isDown) throw new Error("no connection");
    return all;
  });

  isDown = false;
  await userEvent.click(await screen.findByRole("button", { name: "Try again" }));
  await screen.findAllByRole("gridcell");
  await userEvent.type(screen.getByRole("combobox"), "zzz");

  expect(screen.getByText("No emoji match “zzz”.")).toBeTruthy();
});
