/** The results of a rendering besides its HTML. */
export class Effects {
  readonly mentionedUserIds = new Set<number>();
  readonly mentionedGroupIds = new Set<number>();
  mentionsChannel = false;
  mentionsTopic = false;
  readonly linksForPreview = new Set<string>();
  readonly attachmentPathIds = new Set<string>();
  readonly thumbnailSpinners = new Set<string>();
  /** An uploaded image is shown as its thumbnail rather than a placeholder. */
  showsThumbnail = false;
  hasLink = false;
  hasImage = false;
}
