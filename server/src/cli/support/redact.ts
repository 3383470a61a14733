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
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length);
  return (text) => {
    const withoutSecrets = secrets.reduce((left, secret) => left.replaceAll(secret, "(redacted)"), text);
    return withoutSecrets.replaceAll(userInfoPattern, "$1(redacted)@").replaceAll(emailPattern, "(e-mail address)");
  };
}

/** The secret parts of a setting: passwords of URLs, secrets of `HOST=SECRET` lists, otherwise the value itself. */
function partsOf(value: string): string[] {
  const parts = value.split(",").flatMap((item) => {
    const text = item.trim();
    const url = /^\w+:\/\//.test(text) ? URL.parse(text) : null;
    if (url) return [url.password, decodeURIComponent(url.password)];
    const [, secret] = /^[^=]+=(.+)$/.exec(text) ?? [];
    return [secret ?? text];
  });
  return [...parts, ...(/^\w+:\/\//.test(value) ? [] : [value])];
}
