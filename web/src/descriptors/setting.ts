/**
 * A setting, described once: its name, its type, its texts, and where it is stored. From this the control is drawn and
 * saved (controls/), the page's search and the palette find it, and the tests check that no setting of the server is
 * missing.
 */
import type { TextKey, TextValues } from "../text/t.ts";
import type { IconName } from "../ui/icon.tsx";

/** What a setting belongs to, and so where it is stored. */
export type Scope =
  /** The reader's own (`user_settings`). */
  | "personal"
  /** What new users start with (`realm_user_settings_defaults`). */
  | "defaults"
  /** The organization's (`realm_…`, named without the prefix). */
  | "organization"
  /** A channel's, the same for everybody in it. */
  | "channel"
  /** The reader's own for one channel. */
  | "subscription"
  /** A user group's. */
  | "group";

export type ChoiceValue = string | number | boolean | null;

export interface Choice {
  value: ChoiceValue;
  label: TextKey;
  hint?: TextKey;
}

export type Control =
  /** On or off. */
  | { kind: "switch" }
  /** One of a few; as radio buttons if the choices have hints. */
  | { kind: "choice"; choices: readonly Choice[] }
  /** One of those known only at run time: languages, channels. */
  | { kind: "list"; options: () => readonly { value: ChoiceValue; label: string }[] }
  | { kind: "number"; min: number; max: number; unit?: TextKey }
  /** An empty text is stored as `empty`, if that is given. */
  | { kind: "text"; maxLength: number; rows?: number; isRequired?: boolean; type?: "url"; empty?: null }
  /** A period of seconds: one of these, one the user enters, or, if there is a value for it, unlimited. */
  | { kind: "period"; presets: readonly number[]; unlimited?: null | -1; unit: "seconds" | "days" }
  /** Roles, groups and people. */
  | { kind: "permission" }
  /** Drawn by its section: something like an image, or several settings in one control. */
  | { kind: "own" };

/** Asked before a change that cannot be undone. */
export interface Confirmation {
  readonly title: TextKey;
  /** What will happen, and to whom. */
  readonly text: TextKey;
  readonly values?: TextValues;
  /** On the button: a verb. */
  readonly action: TextKey;
}

export interface Setting {
  readonly scope: Scope;
  /** On the wire. */
  readonly name: string;
  readonly label: TextKey;
  readonly hint?: TextKey;
  readonly control: Control;
  /** Who may change it; by default anybody whom its page is shown to. */
  readonly changedBy?: "owners" | "administrators";
  /** Left out where the server or the organization has no use for it. */
  readonly isOffered?: () => boolean;
  /** What the request expects for a stored value, if that differs. */
  readonly toRequest?: (value: unknown) => unknown;
  /** What to ask before a value is saved, if anything. */
  readonly confirm?: (value: unknown, old: unknown) => Confirmation | undefined;
}

/** Settings below one heading. */
export interface SettingGroup {
  readonly label?: TextKey;
  readonly hint?: TextKey;
  readonly settings: readonly Setting[];
}

/** A page of settings. */
export interface Section {
  /** In the address. */
  readonly id: string;
  readonly label: TextKey;
  /** Below the heading: what the page is about. */
  readonly hint?: TextKey;
  readonly icon: IconName;
  readonly groups: readonly SettingGroup[];
  /** What can be found on the page besides settings, like "Change password". Its id is in the address. */
  readonly items?: readonly {
    readonly id: string;
    readonly label: TextKey;
    readonly isOffered?: () => boolean;
  }[];
  /** Uses the whole width: a table. */
  readonly fills?: boolean;
  /** Whether the reader has any use for it. */
  readonly isShown?: () => boolean;
}

export const settingsIn = ({ groups }: Section): readonly Setting[] => groups.flatMap(({ settings }) => settings);

/** The id of a setting's or item's element, and the last part of its address. */
export const elementId = (name: string): string => `setting-${name}`;
