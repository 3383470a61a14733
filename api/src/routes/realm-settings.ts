/** Written by `npm run routes` from the declarations; a test checks that it is up to date. */
import type * as declared from "../realm-settings.ts";
import type { Route } from "../route.ts";

export const deactivateRealm: Route<typeof declared.deactivateRealm> = {
  method: "POST",
  path: "/realm/deactivate",
  texts: [],
};
export const testWelcomeMessage: Route<typeof declared.testWelcomeMessage> = {
  method: "POST",
  path: "/realm/test_welcome_bot_custom_message",
  texts: ["welcome_message_custom_text"],
};
export const updateRealm: Route<typeof declared.updateRealm> = {
  method: "PATCH",
  path: "/realm",
  texts: [
    "name",
    "description",
    "default_language",
    "default_avatar_source",
    "welcome_message_custom_text",
    "second_factor_required_for",
    "message_edit_history_visibility_policy",
    "topics_policy",
    "default_code_block_language",
  ],
};
