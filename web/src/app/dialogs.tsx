/** The open dialog, if any. Each is loaded on first use. */
import { useEffect } from "preact/hooks";
import { closeDialog, keyBuffer, openDialog, openedDialog, type DialogName } from "../navigation/dialogs.ts";
import { replayKeys } from "../navigation/key-buffer.ts";
import { FloatBoundary } from "../ui/error-boundary.tsx";
import { Lazy } from "../ui/lazy.tsx";

/** If a dialog cannot be loaded or shown, stop capturing keys, unless another one is being loaded by now. */
const stopBuffering = (name: DialogName) => (): void => {
  if (openedDialog.peek() === name || openedDialog.peek() === undefined) keyBuffer.take();
};

/** Replays keys that were typed before the dialog was ready. */
function ReplayKeys(): null {
  useEffect(() => {
    const kept = keyBuffer.take();
    void replayKeys(kept);
  }, []);
  return null;
}

const loaders = {
  palette: () => import("../palette/palette.tsx"),
  search: () => import("../search/search-dialog.tsx"),
  "create-channel": () => import("../channel/create-channel-dialog.tsx"),
  invite: () => import("../people/invite-dialog.tsx"),
  "new-direct": () => import("../people/new-direct-dialog.tsx"),
  keys: () => import("../commands/keys-dialog.tsx"),
  views: () => import("../sidebar/views-dialog.tsx"),
  "sign-out": () => import("../sign-in/sign-out-dialog.tsx"),
};

export function Dialogs() {
  const name = openedDialog.value;
  if (name === undefined) return null;
  return (
    <FloatBoundary key={name} onClose={closeDialog} onRetry={() => openDialog(name)}>
      <Lazy
        load={loaders[name]}
        props={{ onClose: closeDialog }}
        beside={<ReplayKeys />}
        onGone={stopBuffering(name)}
      />
    </FloatBoundary>
  );
}
