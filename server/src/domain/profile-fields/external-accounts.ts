/** Kinds of accounts elsewhere that are known by name; others say themselves where they are found. */
interface ExternalAccount {
  name: string;
  /** What the field is called. */
  text: string;
  hint: string;
  url_pattern: string;
}

/** In a pattern, what a person has filled in. */
export const userNameMark = "%(username)s";

export const customSubtype = "custom";

export const externalAccounts: Record<string, ExternalAccount> = {
  github: {
    name: "GitHub",
    text: "GitHub",
    hint: "Your user name on GitHub",
    url_pattern: `https://github.com/${userNameMark}`,
  },
  twitter: {
    name: "Twitter",
    text: "Twitter username",
    hint: "Your user name on Twitter",
    url_pattern: `https://twitter.com/${userNameMark}`,
  },
};
