/** Names of people and channels as our server stores them. */
import { maxChannelNameLength } from "@skein/api/channels.ts";
import { maxFullNameLength, minFullNameLength } from "@skein/api/users.ts";

/** Characters with a meaning in the syntax of mentions, and invisible ones. */
const forbiddenInNames = /[*`\\>"@]|\p{C}/gu;
const digitsAfterBar = /(?:\|\d*)+$/;
const forbiddenInChannels = /[\p{Cc}\p{Cs}\p{Noncharacter_Code_Point}]/gu;

function toFullName(text: string): string {
  const name = Array.from(text.replaceAll(/\s/g, " ").replaceAll(forbiddenInNames, "").replaceAll(/ +/g, " ").trim());
  return name.slice(0, maxFullNameLength).join("").replace(digitsAfterBar, "").trim();
}

/** The first of these that is long enough, without what a name must not contain. The last is one that always is. */
export function personName(candidates: readonly (string | undefined)[], fallback: string): string {
  const names = candidates.map((candidate) => toFullName(candidate ?? "")).filter((name) => name !== "");
  const long = names.find((name) => Array.from(name).length >= minFullNameLength);
  return long ?? toFullName(`${names[0] ?? ""} ${fallback}`);
}

/** At most as long as a channel's name may be. */
export function channelName(text: string, fallback: string): string {
  const name = text.replaceAll(/\s/g, " ").replaceAll(forbiddenInChannels, "").trim();
  const characters = Array.from(name);
  if (characters.length === 0) return fallback;
  if (characters.length <= maxChannelNameLength) return name;
  return `${characters.slice(0, maxChannelNameLength - 1).join("")}…`;
}

const maxFileNameLength = 200;

/** The name of a file without its folders. */
export function fileName(candidates: readonly (string | undefined)[], fallback: string): string {
  for (const candidate of candidates) {
    const last = (candidate ?? "").split(/[/\\]/).at(-1) ?? "";
    const name = last
      .replaceAll(/\s/g, " ")
      .replaceAll(/[\p{Cc}\p{Cs}]/gu, "")
      .trim();
    if (name !== "" && name !== "." && name !== "..") return Array.from(name).slice(-maxFileNameLength).join("");
  }
  return fallback === "" ? "file" : fallback;
}
