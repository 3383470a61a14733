/** Removes secrets and personal data from texts that leave the server. */
import { settings } from "../../config.ts";

/** Not secret to everyone, since clients or other services see them, but of no use to who reads a bundle. */
const alsoHidden: ReadonlySet<string> = new Set([settings.s3AccessKey.variable, settings.giphyApiKey.variable]);

/** The settings with their values as they are; of secrets only whether they are set. */
export function shownSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const rows = Object.values(settings).map((declared) => {
    const given = environment[declared.variable];
    if (given === undefined || given === "") return [declared.variable, `${declared.default} (default)`];
    const isHidden = "secret" in declared || alsoHidden.has(declared.variable);
    return [declared.variable, isHidden ? "(set)" : given];
  });
  return Object.fromEntries(rows);
}

const emailPattern = /[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)*/g;
const userInfoPattern = /(\w:\/\/)[^\s/@]+@/g;
/** Parts that are shorter occur in other words by chance. */
const minSecretLength = 4;

/** A function that removes these settings' secrets, credentials in URLs, and all e-mail addresses. */
export function redactor(environment: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.values(settings)
    .filter((declared) => "secret" in declared || alsoHidden.has(declared.variable))
    .flatMap(({ variable }) => partsOf(environment[variable] ?? ""))
    .flatMap((secret) => [secret, inJson(secret)])
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const withoutSecrets = secrets.reduce((left, secret) => left.replaceAll(secret, "(redacted)"), text);
    return withoutSecrets.replaceAll(userInfoPattern, "$1(redacted)@").replaceAll(emailPattern, "(e-mail address)");
  };
}

/** As JSON has it, with its quotes and backslashes escaped. */
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * The secret parts of a setting: passwords of URLs, secrets of `HOST=SECRET` lists, otherwise the value itself. A comma may be
 * a part of a password, too, so a list is also tried as one URL.
 */
function partsOf(value: string): string[] {
  const isUrl = (text: string) => /^\w+:\/\//.test(text);
  const parts = [value, ...value.split(",")].flatMap((item) => {
    const text = item.trim();
    if (isUrl(text)) return passwordsIn(text);
    const [, secret] = /^[^=]+=(.+)$/.exec(text) ?? [];
    return [secret ?? text];
  });
  return [...parts, ...(isUrl(value) ? [] : [value])];
}

/** The password of a URL, as it is written there and as it is used. */
function passwordsIn(text: string): string[] {
  const password = URL.parse(text)?.password ?? "";
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password]; // a percent sign that begins no escape
  }
}
