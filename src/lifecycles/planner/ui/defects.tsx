import { useState } from "react";
import {
  addresses,
  Button,
  EmptyState,
  Icon,
  Link,
  Person,
  Segments,
  toast,
  useRefetch,
  useToastOnError,
  useNow,
  useTexts,
  useI18n,
} from "../../../console/index.ts";
import type { Tone } from "../../../console/index.ts";
import { planner, useIsLead } from "./planner-calls.ts";
import type { Defect } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";

const TONES: Readonly<Record<Defect["severity"], Tone>> = { minor: "slate", major: "warn", critical: "bad" };

/** Defects, latest first, with their fix-tasks. */
export function Defects({ lifecycle, defects }: { lifecycle: string; defects: readonly Defect[] }) {
  const texts = useTexts(TEXTS);
  const [which, setWhich] = useState<"open" | "fixed">("open");
  const shown = defects.filter(({ fixed_at }) => (fixed_at === null) === (which === "open")).toReversed();
  const open = defects.filter(({ fixed_at }) => fixed_at === null).length;
  return (
    <section className="card" aria-label={texts.defects}>
      <header className="head">
        <h2>{texts.defects}</h2>
        <span className="push" />
        <Segments
          label={texts.defects}
          value={which}
          onChange={setWhich}
          options={[
            { value: "open", label: `${texts.openDefects} ${open}` },
            { value: "fixed", label: `${texts.fixedDefects} ${defects.length - open}` },
          ]}
        />
      </header>
      {shown.length === 0 ? (
        <EmptyState compact title={texts.defectsEmpty} hint={texts.defectsEmptyHint} />
      ) : (
        <ul className="lines">
          {shown.map((defect) => (
            <li key={defect.id} data-defect={defect.id}>
              <DefectLine lifecycle={lifecycle} defect={defect} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function DefectLine({ lifecycle, defect }: { lifecycle: string; defect: Defect }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(10);
  const isLead = useIsLead();
  const facts = [
    [texts.cause, defect.cause],
    [texts.whatToFix, defect.what_to_fix],
    [texts.howFixed, defect.how_fixed],
  ] as const;
  return (
    <>
      <div className="row">
        <b className="line-title">{defect.description}</b>
        <span className="push" />
        <span className="chip" data-tone={TONES[defect.severity]}>
          {texts.severity[defect.severity]}
        </span>
      </div>
      {facts.some(([, text]) => text !== null) && (
        <div className="defect-facts">
          {facts.map(
            ([label, text]) =>
              text !== null && (
                <span key={label}>
                  <b>{label}:</b> {text}
                </span>
              ),
          )}
        </div>
      )}
      <div className="row wrap small">
        <Person id={defect.fixed_by ?? defect.reported_by} />
        <span className="faint num">{texts.reported(f.ago(defect.reported_at, now))}</span>
        <Link href={addresses.task(defect.task_id)}>{texts.ofTask}</Link>
        {defect.fix_task_id !== null && (
          <Link href={addresses.task(defect.fix_task_id)}>
            {texts.fixTask} <Icon name="arrow" />
          </Link>
        )}
        <span className="push" />
        {isLead && defect.fix_task_id === null && <MakeFix lifecycle={lifecycle} defect={defect} />}
      </div>
    </>
  );
}

function MakeFix({ lifecycle, defect }: { lifecycle: string; defect: Defect }) {
  const texts = useTexts(TEXTS);
  const refetch = useRefetch(lifecycle);
  const [busy, attempt] = useToastOnError();
  const make = async () => {
    const { task } = await planner.fixPlannerTask({ id: defect.task_id, defect_id: defect.id });
    toast(texts.fixMade(task.title));
    await refetch();
  };
  return (
    <Button small disabled={busy} onClick={() => void attempt(make)}>
      {texts.makeFix}
    </Button>
  );
}
