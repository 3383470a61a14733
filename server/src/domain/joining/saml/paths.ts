/** Where an organization is found by SAML providers. All its providers share these. */
export const acsPath = "/complete/saml";
export const metadataPath = "/saml/metadata.xml";

/** What the organization is called at its providers. */
export const entityIdOf = (siteUrl: string): string => siteUrl;
