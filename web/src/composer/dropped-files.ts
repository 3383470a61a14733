/**
 * Files dropped anywhere on the page go to the composer on screen. Without one they are refused with a notice: by default
 * the browser would leave the page to show the file.
 */
import { signal } from "@preact/signals";

/** True while files are dragged over the page. */
export const areFilesOver = signal(false);

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes("Files") ?? false;

/** `take` returns false when there is nowhere to put them. */
export function startDropping(take: (files: FileList) => boolean, refuse: () => void): () => void {
  const over = (event: DragEvent): void => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    areFilesOver.value = true;
  };
  const leave = (event: DragEvent): void => {
    // Left the window, not just one element for the next.
    if (event.relatedTarget === null) areFilesOver.value = false;
  };
  const drop = (event: DragEvent): void => {
    areFilesOver.value = false;
    // A composer may have handled them itself.
    if (!hasFiles(event) || event.defaultPrevented) return;
    event.preventDefault();
    if (event.dataTransfer && !take(event.dataTransfer.files)) refuse();
  };
  addEventListener("dragover", over);
  addEventListener("dragleave", leave);
  addEventListener("drop", drop);
  return () => {
    removeEventListener("dragover", over);
    removeEventListener("dragleave", leave);
    removeEventListener("drop", drop);
  };
}
