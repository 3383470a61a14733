const maxEmailLength = 254;
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
/** Common addresses only: no quoted parts, no comments, and a domain with a dot unless it is `localhost`. */
const emailForm = new RegExp(`^${atom}(?:\\.${atom})*@(?:localhost|${label}(?:\\.${label})+)$`, "i");

export const isEmail = (text: string): boolean => text.length <= maxEmailLength && emailForm.test(text);
