/** Texts for names that the server gives; one that this client does not know is shown as it is. */
import { hasText, t, type TextKey } from "../../text/t.ts";

function known(area: "kind" | "reason" | "phase", name: string): string {
  const key = `imports.${area}.${name}` as TextKey; // looked up before it is used
  return hasText(key) ? t(key) : name;
}

export const kindText = (name: string): string => known("kind", name);
export const reasonText = (name: string): string => known("reason", name);
export const phaseText = (name: string): string => known("phase", name);

const sources: Readonly<Record<string, string>> = {
  slack: "Slack",
  mattermost: "Mattermost",
  zulip: "Zulip",
  rocketchat: "Rocket.Chat",
  skein: "Skein",
};

export const sourceText = (name: string): string => sources[name] ?? name;
