/** What can be said with a slash. Each but /ping chooses a setting of the user's own. */
import type { UserSettings } from "@skein/api/settings.ts";
import { ApiError } from "../../errors.ts";

interface Choice {
  settings: Partial<Pick<UserSettings, "color_scheme" | "fluid_layout_width">>;
  /** What is so from now on. */
  name: string;
  /** What undoes it. */
  opposite: string;
}

const dark: Choice = { settings: { color_scheme: 2 }, name: "dark colors", opposite: "/light" };
const light: Choice = { settings: { color_scheme: 3 }, name: "light colors", opposite: "/dark" };

const choices: ReadonlyMap<string, Choice> = new Map([
  ["dark", dark],
  ["night", dark],
  ["light", light],
  ["day", light],
  ["fluid-width", { settings: { fluid_layout_width: true }, name: "the whole width", opposite: "/fixed-width" }],
  ["fixed-width", { settings: { fluid_layout_width: false }, name: "a fixed width", opposite: "/fluid-width" }],
]);

/** Undefined for /ping, which only finds out whether the server answers. */
export function readCommand(text: string): Choice | undefined {
  if (!text.startsWith("/")) throw new ApiError("There should be a leading slash in the zcommand.");
  const name = text.slice(1);
  if (name === "ping") return undefined;
  const choice = choices.get(name);
  if (!choice) throw new ApiError(`No such command: ${name}`);
  return choice;
}
