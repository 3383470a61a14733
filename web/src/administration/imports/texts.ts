/** Texts for names that the server gives; one that this client does not know is shown as it is. */
import { hasText, t, type TextKey } from "../../text/t.ts";

function known(key: string, name: string): string {
  const text = key as TextKey; // looked up before it is used
  return hasText(text) ? t(text) : name;
}

export const kindText = (name: string): string => known(`imports.kind.${name}`, name);
export const reasonText = (name: string): string => known(`imports.reason.${name}`, name);
export const phaseText = (name: string): string => known(`imports.phase.${name}`, name);

const sources: Readonly<Record<string, string>> = {
  slack: "Slack",
  mattermost: "Mattermost",
  zulip: "Zulip",
  rocketchat: "Rocket.Chat",
  skein: "Skein",
};

export const sourceText = (name: string): string => sources[name] ?? name;
