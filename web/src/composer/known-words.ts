/** Suggestions that need no data: code languages and commands. */
import { t } from "../text/t.ts";
import { Matcher } from "../text/matching.ts";
import { maxSuggestions, type Suggestion } from "./sources.ts";

const languages = new Matcher(
  (
    "quote spoiler math text bash c cpp csharp css dart diff dockerfile elixir erlang go graphql haskell html http ini java " +
    "javascript json jsx julia kotlin latex lua makefile markdown matlab nginx nix objectivec ocaml perl php powershell " +
    "protobuf python r ruby rust scala scheme sql swift toml tsx typescript vim xml yaml zig"
  ).split(" "),
  (language) => language,
);

export const suggestLanguages = (query: string): Suggestion[] =>
  languages.find(query, maxSuggestions).map((language) => ({
    key: language,
    label: language,
    icon: language === "quote" ? "quote" : language === "spoiler" ? "eye-off" : "code",
    insert: language === "spoiler" ? "spoiler " : `${language}\n`,
  }));

const commands = ["me", "poll", "todo"] as const;

export const suggestCommands = (query: string): Suggestion[] =>
  commands
    .filter((command) => command.startsWith(query.toLowerCase()))
    .map((command) => ({
      key: command,
      label: `/${command}`,
      detail: t(`command.${command}`),
      icon: "slash",
      insert: `/${command} `,
    }));
