import { useState } from "react";
import {
  AskDialog,
  Button,
  Person,
  toast,
  useRefetch,
  useToastOnError,
  useLiveQuery,
  useNow,
  useTexts,
  useI18n,
  ListCard,
} from "../../../console/index.ts";
import type { Tone } from "../../../console/index.ts";
import { planner, useIsLead, useProject } from "./planner-calls.ts";
import type { Deliverable, Inspection } from "./planner-calls.ts";
import { TEXTS } from "./texts.ts";

const TONES: Readonly<Record<Deliverable["status"], Tone>> = {
  open: "slate",
  submitted_to_qc: "violet",
  qc_approved: "good",
  qc_rejected: "bad",
};

/** Deliverables and their inspections. */
export function Deliverables({
  lifecycle,
  deliverables,
}: {
  lifecycle: string;
  deliverables: readonly Deliverable[];
}) {
  const texts = useTexts(TEXTS);
  const isLead = useIsLead();
  const [making, setMaking] = useState(false);
  return (
    <>
      <ListCard
        title={texts.deliverables}
        count={deliverables.length}
        empty={texts.deliverablesEmpty}
        tools={
          isLead && (
            <Button
              small
              icon="plus"
              onClick={() => {
                setMaking(true);
              }}
            >
              {texts.newDeliverable}
            </Button>
          )
        }
      >
        {deliverables.toReversed().map((deliverable) => (
          <li key={deliverable.id} data-deliverable={deliverable.id}>
            <DeliverableLine lifecycle={lifecycle} deliverable={deliverable} />
          </li>
        ))}
      </ListCard>
      {making && (
        <NewDeliverable
          lifecycle={lifecycle}
          onClose={() => {
            setMaking(false);
          }}
        />
      )}
    </>
  );
}

function DeliverableLine({ lifecycle, deliverable }: { lifecycle: string; deliverable: Deliverable }) {
  const texts = useTexts(TEXTS);
  const isLead = useIsLead();
  const refetch = useRefetch(lifecycle);
  const [inspecting, setInspecting] = useState(false);
  const name = `${deliverable.type} ${deliverable.serial}`;
  const { data } = useLiveQuery({
    lifecycle,
    key: ["inspections", deliverable.id, deliverable.updated_at],
    ask: (signal) => planner.listInspections({ id: deliverable.id }, { signal }),
  });
  const [busy, attempt] = useToastOnError();
  const submit = async () => {
    await planner.submitDeliverable({ id: deliverable.id });
    await refetch();
  };
  const inQc = deliverable.status === "submitted_to_qc";
  return (
    <>
      <div className="row wrap">
        <b className="line-title">{name}</b>
        <span className="chip" data-tone={TONES[deliverable.status]}>
          {texts.deliverable[deliverable.status]}
        </span>
        <span className="push" />
        {isLead && !inQc && deliverable.status !== "qc_approved" && (
          <Button small disabled={busy} onClick={() => void attempt(submit)}>
            {texts.toQc}
          </Button>
        )}
        {isLead && inQc && (
          <Button
            small
            look="main"
            onClick={() => {
              setInspecting(true);
            }}
          >
            {texts.inspect}
          </Button>
        )}
      </div>
      <Inspections inspections={data?.inspections ?? []} />
      {inspecting && (
        <AskDialog
          form={`inspect/${deliverable.id}`}
          title={texts.inspectTitle(name)}
          questions={[
            {
              name: "result",
              label: texts.result,
              kind: "choice",
              required: true,
              options: (["approved", "rejected"] as const).map((value) => ({
                value,
                label: texts.results[value],
              })),
            },
            { name: "act", label: texts.act, hint: texts.actHint, kind: "text" },
          ]}
          submit={texts.inspect.replace("…", "")}
          perform={async ({ result, act }) => {
            await planner.inspectDeliverable({
              id: deliverable.id,
              result: result === "approved" ? "approved" : "rejected",
              ...(act.trim() === "" ? {} : { act }),
            });
            toast(texts.inspected);
            await refetch();
          }}
          onClose={() => {
            setInspecting(false);
          }}
        />
      )}
    </>
  );
}

function Inspections({ inspections }: { inspections: readonly Inspection[] }) {
  const { f } = useI18n();
  const texts = useTexts(TEXTS);
  const now = useNow(10);
  if (inspections.length === 0) return null;
  return (
    <ul className="inspection-list" aria-label={texts.inspections(inspections.length)}>
      {inspections.toReversed().map((inspection) => (
        <li key={inspection.id} className="row wrap">
          <span className="chip plain" data-tone={inspection.result === "approved" ? "good" : "bad"}>
            {texts.results[inspection.result]}
          </span>
          {inspection.act !== null && <span>{inspection.act}</span>}
          <Person id={inspection.inspector} />
          <span className="faint num">{f.ago(inspection.created_at, now)}</span>
        </li>
      ))}
    </ul>
  );
}

function NewDeliverable({ lifecycle, onClose }: { lifecycle: string; onClose: () => void }) {
  const texts = useTexts(TEXTS);
  const project = useProject();
  const refetch = useRefetch(lifecycle);
  return (
    <AskDialog
      form="deliverable"
      title={texts.newDeliverable}
      questions={[
        { name: "type", label: texts.type, required: true },
        { name: "serial", label: texts.serial, required: true },
      ]}
      submit={texts.newDeliverable}
      perform={async ({ type, serial }) => {
        await planner.createDeliverable({ ...project, type, serial });
        toast(texts.created(`${type} ${serial}`));
        await refetch();
      }}
      onClose={onClose}
    />
  );
}
