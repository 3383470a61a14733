/** Where Slack has the files of its workspaces. */
export const slackFilesOrigin = "https://files.slack.com";

/** Whether it is the address of a file, with the token that Slack puts into exports. */
export const hasToken = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.origin === slackFilesOrigin && parsed.searchParams.has("t");
};
