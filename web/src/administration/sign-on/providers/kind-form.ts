/** What the forms of all kinds of providers have in common. */
import type { ArgumentsOf } from "@skein/api/client.ts";
import type { createIdentityProvider, IdentityProvider } from "@skein/api/identity-providers.ts";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

export type Kind = IdentityProvider["kind"];
type Settings = ArgumentsOf<typeof createIdentityProvider>;
type CommonName = "key" | "kind" | "name" | "allowed_domains" | "creates_accounts" | "groups_claim" | "group_map";

export type CommonSettings = Required<Omit<Pick<Settings, CommonName>, "key" | "kind">>;
export type KindSettings = Omit<Settings, CommonName>;

/** Why settings are refused, and the setting that it is about, if one is. */
export interface Problem {
  setting: string | undefined;
  text: string;
}

export interface KindFormProps {
  /** Undefined for a new one. */
  provider: IdentityProvider | undefined;
  /** Its name in URLs. */
  key: string;
  problem: Problem | undefined;
}

/** What a row shows of a provider of this kind. */
export interface FactsProps {
  provider: IdentityProvider;
  reload: () => Promise<void>;
}

/** The form of one kind: the hook of each kind returns one, which keeps what was typed while another kind is chosen. */
export interface KindForm {
  fields: ComponentChildren;
  /** How groups are found, beside the attribute that lists them. */
  groups?: ComponentChildren;
  /** How accounts follow the provider. */
  sync?: ComponentChildren;
  /** Whether a field shows problems of this setting. */
  shows: (setting: string) => boolean;
  settings: () => KindSettings;
}

/** Text fields that are named after settings. */
export function useTexts<Name extends string>(initial: Readonly<Record<Name, string>>, problem: Problem | undefined) {
  const [values, setValues] = useState(initial);
  return {
    values,
    shows: (setting: string): boolean => Object.hasOwn(initial, setting),
    field: (name: Name) => ({
      value: values[name],
      error: problem?.setting === name ? problem.text : undefined,
      onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }) =>
        setValues((before) => ({ ...before, [name]: value })),
    }),
  };
}
