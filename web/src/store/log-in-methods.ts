/** The ways to log in that an organization can choose from. */
import "../text/chunks/controls.ts";
import "../text/chunks/organization-lists.ts";
import { t } from "../text/t.ts";
import { isOwner } from "./roles.ts";
import { part } from "./state.ts";

export interface LogInMethod {
  name: string;
  isOn: boolean;
  /** Why it cannot be changed; undefined if the reader can. */
  lock: string | undefined;
  /** All methods with this one switched on or off, as the server expects them. */
  requestFor: (isOn: boolean) => Record<string, boolean>;
}

export function methodsOf(): LogInMethod[] {
  const all = Object.entries(part("realm_authentication_methods").value ?? {});
  const enabled = all.filter(([, method]) => method.enabled && method.available);
  const current = Object.fromEntries(all.map(([name, { enabled: isOn }]) => [name, isOn]));
  return all.map(([name, { enabled: isOn, available, unavailable_reason }]) => {
    const isLast = isOn && available && enabled.length === 1;
    const lock = !available
      ? (unavailable_reason ?? t("organization.authentication.unavailable"))
      : isLast
        ? t("organization.authentication.last")
        : isOwner()
          ? undefined
          : t("setting.ownersOnly");
    return { name, isOn: isOn && available, lock, requestFor: (wanted) => ({ ...current, [name]: wanted }) };
  });
}
