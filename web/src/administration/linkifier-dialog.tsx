/** Adds or changes a linkifier, and tries it among the others. */
import "../text/chunks/fields.ts";
import "../text/chunks/organization.ts";
import "../text/chunks/organization-lists.ts";
import type { Linkifier } from "@skein/api/linkifiers.ts";
import { Refusal } from "@skein/api/failures.ts";
import { addLinkifier, updateLinkifier } from "@skein/api/routes/linkifiers.ts";
import { useState } from "preact/hooks";
import { call } from "../api/call.ts";
import { reasonOf } from "../store/reasons.ts";
import { t } from "../text/t.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { FieldError, TextField } from "../ui/field.tsx";
import { fieldErrors, type FieldErrors } from "./field-errors.ts";
import { LinkifierTest } from "./linkifier-test.tsx";

interface LinkifierDialogProps {
  linkifiers: readonly Linkifier[];
  edited: Linkifier | undefined;
  onClose: () => void;
}

export function LinkifierDialog({ linkifiers, edited, onClose }: LinkifierDialogProps) {
  const [pattern, setPattern] = useState(edited?.pattern ?? "");
  const [urlTemplate, setUrlTemplate] = useState(edited?.url_template ?? "");
  const [errors, setErrors] = useState<FieldErrors>({});
  const [isBusy, setBusy] = useState(false);
  const draft = { pattern: pattern.trim(), url_template: urlTemplate.trim() };
  const isComplete = draft.pattern !== "" && draft.url_template !== "";
  const save = async (): Promise<void> => {
    if (isBusy || !isComplete) return;
    setBusy(true);
    try {
      if (edited) await call(updateLinkifier, { filter_id: edited.id, ...draft });
      else await call(addLinkifier, draft);
      onClose();
    } catch (error) {
      setErrors(error instanceof Refusal ? fieldErrors(error) : { other: reasonOf(error) });
      setBusy(false);
    }
  };
  const others = linkifiers.filter(({ id }) => id !== edited?.id);
  const at = edited ? linkifiers.findIndex(({ id }) => id === edited.id) : others.length;
  return (
    <Dialog
      title={t(edited ? "organization.linkifiers.editTitle" : "organization.linkifiers.add")}
      keepsOnOutsidePress
      onClose={onClose}
      onSubmit={() => void save()}
      actions={
        <>
          <Button onClick={onClose}>{t("ui.cancel")}</Button>
          <Button kind="primary" type="submit" busy={isBusy} aria-disabled={!isComplete}>
            {t(edited ? "organization.save" : "organization.linkifiers.add")}
          </Button>
        </>
      }
    >
      <TextField
        label={t("organization.linkifiers.pattern")}
        hint={t("organization.linkifiers.pattern.hint")}
        placeholder="#(?P<id>[0-9]+)"
        value={pattern}
        error={errors["pattern"]}
        maxLength={1000}
        autofocus
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setPattern(event.currentTarget.value)}
      />
      <TextField
        label={t("organization.linkifiers.template")}
        hint={t("organization.linkifiers.template.hint")}
        placeholder="https://bugs.example.org/{id}"
        value={urlTemplate}
        error={errors["url_template"]}
        maxLength={2000}
        autocomplete="off"
        spellcheck={false}
        onInput={(event) => setUrlTemplate(event.currentTarget.value)}
      />
      <FieldError id="linkifier-error" error={errors["other"]} />
      <LinkifierTest linkifiers={isComplete ? [...others.slice(0, at), draft, ...others.slice(at)] : others} />
    </Dialog>
  );
}
