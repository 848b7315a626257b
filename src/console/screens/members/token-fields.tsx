import { useId } from "react";
import { LabelledField } from "../../forms/schema-form.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { TOKEN_TEXTS } from "./token-texts.ts";

export type TokenOptions = { name: string | null; expires_in_days: number | null };

const LIFETIMES_DAYS = [30, 90, 365];

/** The name and the lifetime of a new token. */
export function TokenFields({
  options,
  onChange,
}: {
  options: TokenOptions;
  onChange: (options: TokenOptions) => void;
}) {
  const texts = useTexts(TOKEN_TEXTS);
  const [nameId, daysId] = [useId(), useId()];
  return (
    <div className="two">
      <LabelledField id={nameId} label={texts.name}>
        <input
          id={nameId}
          className="input"
          maxLength={100}
          value={options.name ?? ""}
          onChange={({ target: { value } }) => {
            onChange({ ...options, name: value.trim() === "" ? null : value });
          }}
        />
      </LabelledField>
      <LabelledField id={daysId} label={texts.expires} required>
        <select
          id={daysId}
          className="input"
          value={options.expires_in_days ?? ""}
          onChange={({ target: { value } }) => {
            onChange({ ...options, expires_in_days: value === "" ? null : Number(value) });
          }}
        >
          <option value="">{texts.never}</option>
          {LIFETIMES_DAYS.map((days) => (
            <option key={days} value={days}>
              {texts.days(String(days))}
            </option>
          ))}
        </select>
      </LabelledField>
    </div>
  );
}
