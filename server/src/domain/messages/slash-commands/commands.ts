/** Slash commands. All except /ping change one of the user's own settings. */
import type { UserSettings } from "@skein/api/settings.ts";
import { ApiError } from "../../../errors.ts";

interface Choice {
  settings: Partial<Pick<UserSettings, "color_scheme" | "fluid_layout_width">>;
  /** What the command switches to. */
  name: string;
  /** The command that undoes it. */
  opposite: string;
}

const dark: Choice = { settings: { color_scheme: 2 }, name: "the dark theme", opposite: "/light" };
const light: Choice = { settings: { color_scheme: 3 }, name: "the light theme", opposite: "/dark" };

const choices: ReadonlyMap<string, Choice> = new Map([
  ["dark", dark],
  ["night", dark],
  ["light", light],
  ["day", light],
  ["fluid-width", { settings: { fluid_layout_width: true }, name: "the full-width layout", opposite: "/fixed-width" }],
  [
    "fixed-width",
    { settings: { fluid_layout_width: false }, name: "the fixed-width layout", opposite: "/fluid-width" },
  ],
]);

/** Undefined for /ping, which only checks that the server responds. */
export function readCommand(text: string): Choice | undefined {
  if (!text.startsWith("/")) throw new ApiError("There should be a leading slash in the zcommand.");
  const name = text.slice(1);
  if (name === "ping") return undefined;
  const choice = choices.get(name);
  if (!choice) throw new ApiError(`No such command: ${name}`);
  return choice;
}
