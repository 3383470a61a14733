/** Where a picture is. Null stands for a Gravatar, whose small picture is the one without a size. */
export const avatarUrl = (picture: { avatar_url: string | null; avatar_url_medium: string }): string =>
  picture.avatar_url ?? picture.avatar_url_medium.replace(/&s=\d+$/, "");
