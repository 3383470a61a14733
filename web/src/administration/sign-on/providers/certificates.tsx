/** The certificates with whose keys a provider may sign. */
import "../../../text/chunks/sign-on.ts";
import type { IdentityProvider } from "@skein/api/identity-providers.ts";
import { useId, useRef } from "preact/hooks";
import { t } from "../../../text/t.ts";
import { listTime } from "../../../text/time.ts";
import { classes } from "../../../ui/classes.ts";
import { IconButton } from "../../../ui/button.tsx";
import lists from "../../lists.module.css";
import styles from "../sign-on.module.css";

type Certificate = NonNullable<IdentityProvider["saml"]>["certificates"][number];

interface CertificatesProps {
  certificates: readonly Certificate[];
}

/** Enough to tell it from others. */
const shortOf = ({ fingerprint }: Certificate): string => fingerprint.slice(0, 23);

const isOver = ({ expires_at }: Certificate): boolean => expires_at * 1000 < Date.now();

const endOf = (certificate: Certificate): string =>
  t(isOver(certificate) ? "provider.certificate.over" : "provider.certificate.until", {
    day: listTime(certificate.expires_at),
  });

export const CertificateEnds = ({ certificates }: CertificatesProps) => (
  <>
    {certificates.map((certificate) => (
      <div key={certificate.fingerprint} class={isOver(certificate) ? styles.failed : lists.detail}>
        {t("provider.certificate", { fingerprint: shortOf(certificate), end: endOf(certificate) })}
      </div>
    ))}
  </>
);

interface StoredCertificatesProps extends CertificatesProps {
  onChange: (certificates: Certificate[]) => void;
}

/** Those that are stored, each with a button that takes it away. */
export function StoredCertificates({ certificates, onChange }: StoredCertificatesProps) {
  const heading = useId();
  const frame = useRef<HTMLDivElement>(null);
  const remove = (removed: Certificate): void => {
    onChange(certificates.filter((certificate) => certificate !== removed));
    // Its button goes with it.
    frame.current?.focus();
  };
  return (
    <div ref={frame} tabIndex={-1} class={styles.certificates}>
      {certificates.length > 0 && (
        <>
          <div id={heading} class={lists.name}>
            {t("provider.certificates")}
          </div>
          <ul aria-labelledby={heading}>
            {certificates.map((certificate) => (
              <li key={certificate.fingerprint}>
                <span>
                  <span class={lists.code}>{shortOf(certificate)}…</span>{" "}
                  <span class={classes(lists.detail, isOver(certificate) && styles.over)}>{endOf(certificate)}</span>
                </span>
                <IconButton
                  icon="x"
                  size={16}
                  label={t("provider.certificate.remove", { fingerprint: shortOf(certificate) })}
                  onClick={() => remove(certificate)}
                />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
