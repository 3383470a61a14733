/** The URL of an avatar. Null means a Gravatar, whose small URL is derived from the medium one. */
export const avatarUrl = (picture: { avatar_url: string | null; avatar_url_medium: string }): string =>
  picture.avatar_url ?? picture.avatar_url_medium.replace("/medium?", "?");
