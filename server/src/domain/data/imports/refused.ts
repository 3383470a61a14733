/** Why an import does not begin, in words for whoever started it. */
export class ImportRefused extends Error {}

/** Another import into the organization is running, or was until a moment ago. */
export class ImportBusy extends ImportRefused {}
