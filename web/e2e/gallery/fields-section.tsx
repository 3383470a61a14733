import { useState } from "preact/hooks";
import { findAddresses } from "../../src/ui/addresses.ts";
import { CheckField, RadioField } from "../../src/ui/choices.tsx";
import { type Chip, ChipsField } from "../../src/ui/chips.tsx";
import { PasswordField, SelectField, TextArea, TextField } from "../../src/ui/field.tsx";
import styles from "./gallery.module.css";
import { people } from "./people.ts";
import { Section } from "./section.tsx";

const readAddresses = (text: string): Chip[] =>
  findAddresses(text).map(({ address, isValid }) => ({
    key: address.toLowerCase(),
    label: address,
    ...(!isValid && { problem: "That isn’t a valid e-mail address." }),
  }));

export function FieldsSection() {
  const [isChecked, setChecked] = useState(true);
  const [privacy, setPrivacy] = useState("public");
  const [addresses, setAddresses] = useState(readAddresses("ada@example.com, Bo <bo@example.com>, not-an-address"));
  const [chosen, setChosen] = useState<Chip[]>(people.slice(0, 2));
  return (
    <Section id="fields" title="Fields">
      <div class={styles.columns}>
        <div>
          <TextField label="Channel name" value="design" hint="Short and plain." />
          <TextField label="E-mail" type="email" value="ada@" error="Enter a valid e-mail address." />
          <PasswordField label="Password" value="correct horse" autocomplete="current-password" />
          <SelectField
            label="Language"
            saved
            value="en"
            options={[
              { value: "en", label: "English" },
              { value: "de", label: "Deutsch" },
            ]}
          />
        </div>
        <div>
          <TextArea label="Description" isOptional placeholder="What is it about?" />
          <CheckField
            label="Notify me of direct messages"
            hint="On this device."
            checked={isChecked}
            saved
            onChange={setChecked}
          />
          <CheckField label="Cannot be changed" checked={false} disabled onChange={setChecked} />
          <RadioField
            label="Who can join"
            value={privacy}
            onChange={setPrivacy}
            options={[
              { value: "public", label: "Anyone can join", hint: "Everybody in the organization sees it." },
              { value: "private", label: "Only invited people" },
            ]}
          />
        </div>
        <ChipsField
          label="People"
          chips={chosen}
          onChange={setChosen}
          suggest={(query) => people.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()))}
        />
        <ChipsField
          label="Invite by e-mail"
          chips={addresses}
          onChange={setAddresses}
          read={readAddresses}
          error="One address cannot be used."
        />
      </div>
    </Section>
  );
}
