/** Values to be entered elsewhere, each with a button that copies it. */
import "../../text/chunks/sign-on.ts";
import { toast } from "../../store/toasts.ts";
import { t } from "../../text/t.ts";
import { IconButton } from "../../ui/button.tsx";
import styles from "./sign-on.module.css";

export interface Address {
  label: string;
  value: string;
  isLink?: boolean;
}

export const Addresses = ({ addresses }: { addresses: readonly Address[] }) => (
  <dl class={styles.addresses}>
    {addresses.map(({ label, value, isLink = false }) => (
      <div key={label} class={styles.address}>
        <dt>{label}</dt>
        <dd>
          {isLink ? (
            <a href={value} target="_blank" rel="noopener noreferrer">
              {value}
            </a>
          ) : (
            <span class={styles.whole}>{value}</span>
          )}
          <IconButton
            icon="copy"
            size={14}
            label={t("signOn.copyOne", { label })}
            onClick={() => void navigator.clipboard.writeText(value).then(() => toast(t("signOn.copied")))}
          />
        </dd>
      </div>
    ))}
  </dl>
);

/** The same in a form, before there is a provider. */
export const AddressesToRegister = ({ addresses }: { addresses: readonly Address[] }) => (
  <div class={styles.register}>
    <p>{t("provider.register")}</p>
    <Addresses addresses={addresses} />
  </div>
);
