/** The dialog that is open, if one is. Each is loaded when it is first wanted. */
import { signal } from "@preact/signals";
import { Lazy } from "./lazy.tsx";

export type DialogName = "palette" | "search" | "create-channel" | "invite" | "new-direct" | "keys";

const open = signal<DialogName | undefined>(undefined);

export const openDialog = (name: DialogName): void => {
  open.value = name;
};

export const closeDialog = (): void => {
  open.value = undefined;
};

const loaders = {
  palette: () => import("../palette/palette.tsx"),
  search: () => import("../search/search-dialog.tsx"),
  "create-channel": () => import("../channel/create-channel-dialog.tsx"),
  invite: () => import("../people/invite-dialog.tsx"),
  "new-direct": () => import("../people/new-direct-dialog.tsx"),
  keys: () => import("./keys-dialog.tsx"),
};

export const Dialogs = () =>
  open.value === undefined ? null : (
    <Lazy key={open.value} load={loaders[open.value]} props={{ onClose: closeDialog }} />
  );
