/** The organization's emoji, for pickers and the typeahead. */
import { emojiSource } from "./emoji-source.ts";
import { part } from "./state.ts";

export const emoji = emojiSource(
  () => part("server_emoji_data_url").peek() ?? "",
  () => Object.values(part("realm_emoji").peek() ?? {}),
);
