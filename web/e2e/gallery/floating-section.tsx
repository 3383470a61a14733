import { useRef, useState } from "preact/hooks";
import { Button } from "../../src/ui/button.tsx";
import { RadioField } from "../../src/ui/choices.tsx";
import { Dialog } from "../../src/ui/dialog.tsx";
import { TextField } from "../../src/ui/field.tsx";
import { Menu } from "../../src/ui/menu.tsx";
import { Popover } from "../../src/ui/popover.tsx";
import styles from "./gallery.module.css";
import { Section } from "./section.tsx";
import { menuEntries } from "./widgets-section.tsx";

export function FloatingSection() {
  const [open, setOpen] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const close = () => setOpen(undefined);
  return (
    <Section id="floating" title="What floats">
      <div class={styles.row}>
        <Button onClick={() => setOpen("dialog")}>Open dialog</Button>
        <Button ref={button} onClick={() => setOpen("menu")}>
          Open menu
        </Button>
        <Button onClick={() => setOpen("popover")}>Open popover</Button>
      </div>
      {open === "dialog" && (
        <Dialog
          title="Create a channel"
          onClose={close}
          onSubmit={close}
          actions={
            <>
              <Button onClick={close}>Cancel</Button>
              <Button kind="primary" type="submit">
                Create
              </Button>
            </>
          }
        >
          <TextField label="Name" autofocus />
          <TextField label="Description" isOptional />
          <RadioField
            label="Who can join"
            value="public"
            onChange={() => {}}
            options={[
              { value: "public", label: "Anyone can join" },
              { value: "private", label: "Only invited people" },
            ]}
          />
        </Dialog>
      )}
      {open === "menu" && <Menu anchor={button} label="Topic" entries={menuEntries} onClose={close} />}
      {open === "popover" && (
        <Popover anchor={button} label="About this topic" onClose={close}>
          <p style={{ margin: "16px" }}>A box beside what opened it.</p>
        </Popover>
      )}
    </Section>
  );
}
