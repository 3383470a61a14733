/** What the commands about imports share. */
export const fileArgument = "FILE";
export const fileDetails =
  "FILE is an export as it was downloaded: the zip file of Slack or Mattermost, the .tar.gz file of Zulip or of another Skein " +
  "server, or the folder of a Rocket.Chat dump. docs/moving-in.md describes what becomes of it.";
