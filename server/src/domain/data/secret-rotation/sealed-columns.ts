/** Everything in the database that is encrypted with the server's secret. */
import {
  secretPurpose as destinationSecret,
  urlPurpose as destinationUrl,
} from "../../administration/audit-delivery/sealed.ts";
import { sealedFor } from "../../administration/invitations/links.ts";
import { purposeFor, sealedSetting } from "../../integrations/incoming-webhooks/shared-secret.ts";
import { clientSecretPurpose } from "../../joining/identity-providers/client-secret.ts";
import { addressPurpose } from "../../notifications/push-devices/devices.ts";
import { keyPurpose, tokenPurpose, urlPurpose } from "../../people/bots/sealed-bot.ts";
import { totpPurpose } from "../../people/second-factors/totp.ts";

/** A column of sealed texts. */
export interface SealedColumn {
  /** SQL: the table, its key, whom the purpose names, and the sealed text. */
  table: string;
  key: string;
  owner: string;
  sealed: string;
  purpose: (owner: number) => string;
  /** SQL that stores the new text `new.sealed`. */
  set: string;
}

const plain = (table: string, key: string, column: string, owner: string, purpose: (owner: number) => string) => ({
  table,
  key,
  owner,
  sealed: `t.${column}`,
  purpose,
  set: `${column} = new.sealed`,
});

export const sealedColumns: readonly SealedColumn[] = [
  plain("bots", "user_id", "sealed_api_key", "user_id", keyPurpose),
  {
    ...plain("bots", "user_id", "config", "user_id", purposeFor),
    sealed: `t.config->>'${sealedSetting}'`,
    set: `config = jsonb_set(t.config, '{${sealedSetting}}', to_jsonb(new.sealed))`,
  },
  plain("outgoing_webhooks", "bot_id", "sealed_token", "bot_id", tokenPurpose),
  plain("outgoing_webhooks", "bot_id", "sealed_base_url", "bot_id", urlPurpose),
  plain("invitation_links", "id", "sealed_token", "id", () => sealedFor),
  plain("identity_providers", "id", "sealed_client_secret", "realm_id", clientSecretPurpose),
  plain("push_devices", "id", "sealed_token", "user_id", addressPurpose),
  plain("totp_secrets", "user_id", "sealed_secret", "user_id", totpPurpose),
  plain("audit_destinations", "id", "sealed_url", "id", destinationUrl),
  plain("audit_destinations", "id", "sealed_secret", "id", destinationSecret),
];
