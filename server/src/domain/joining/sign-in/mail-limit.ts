/** How many mails one IP address may request. */
export const mailLimit = { calls: 5, seconds: 24 * 3600 };
