/** Known types of external accounts. Custom ones define their own URL pattern. */
interface ExternalAccount {
  name: string;
  /** The default name of the field. */
  text: string;
  hint: string;
  url_pattern: string;
}

/** Replaced by the field's value in a URL pattern. */
export const usernamePlaceholder = "%(username)s";

export const customSubtype = "custom";

export const externalAccounts: Record<string, ExternalAccount> = {
  github: {
    name: "GitHub",
    text: "GitHub",
    hint: "Your username on GitHub",
    url_pattern: `https://github.com/${usernamePlaceholder}`,
  },
  twitter: {
    name: "Twitter",
    text: "Twitter username",
    hint: "Your username on Twitter",
    url_pattern: `https://twitter.com/${usernamePlaceholder}`,
  },
};
