/** How often anybody at one network address may have us send mail. */
export const mailLimit = { calls: 5, seconds: 24 * 3600 };
