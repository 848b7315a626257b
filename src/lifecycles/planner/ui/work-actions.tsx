import { useState } from "react";
import { useQuery } from "@tanstack/react-query";
import { AskDialog, Button, client, keys, PawlProblem, useTexts } from "../../../console/index.ts";
import type { Definition, QueuedWork } from "./queued-work.ts";
import { TEXTS } from "./texts.ts";
import { useWorkQueue } from "./use-work-queue.ts";
import { WORK_TEXTS } from "./work-texts.ts";

type Form = "submit" | "help" | "defect";

/** The actions that the rules allow now, as large buttons. */
export function WorkActions({
  lifecycle,
  work,
  definition,
}: {
  lifecycle: string;
  work: QueuedWork;
  definition: Definition;
}) {
  const texts = useTexts(WORK_TEXTS);
  const { move } = useWorkQueue(lifecycle);
  const can = useAllowed(work, definition);
  const [form, setForm] = useState<Form | null>(null);
  const close = () => {
    setForm(null);
  };
  // A refused action is settled first: actions after it would wait behind it.
  if (work.refused.length > 0) return null;
  return (
    <div className="work-actions">
      {can("start") && (
        <Button
          look="main"
          icon="play"
          onClick={() => {
            move(work, "start");
          }}
        >
          {texts.start}
        </Button>
      )}
      {can("submit") && (
        <Button
          look="main"
          icon="check"
          onClick={() => {
            setForm("submit");
          }}
        >
          {texts.submit}
        </Button>
      )}
      {can("review_approve") && (
        <Button
          look="main"
          icon="check"
          onClick={() => {
            move(work, "review_approve");
          }}
        >
          {texts.approve}
        </Button>
      )}
      <div className="work-more">
        {can("escalate") && (
          <Button
            icon="hand"
            onClick={() => {
              setForm("help");
            }}
          >
            {texts.askForHelp}
          </Button>
        )}
        <Button
          icon="alert"
          onClick={() => {
            setForm("defect");
          }}
        >
          {texts.reportDefect}
        </Button>
      </div>
      {form === "submit" && <SubmitForm lifecycle={lifecycle} work={work} onClose={close} />}
      {form === "help" && <HelpForm lifecycle={lifecycle} work={work} onClose={close} />}
      {form === "defect" && <DefectForm lifecycle={lifecycle} work={work} onClose={close} />}
    </div>
  );
}

/** Only these can follow an action that waits: their rules ask for nothing but the owner. */
const CAN_FOLLOW = ["start", "submit", "escalate"];

/** Returns whether an action is allowed: by the server for the version it knows, else by the rules of the status. */
function useAllowed({ task, status, row_version }: QueuedWork, { rules }: Definition) {
  const { data } = useQuery({
    queryKey: [...keys.task(task.id), "allowed", task.row_version],
    queryFn: async ({ signal }) => (await client.explainTask({ id: task.id }, { signal })).actions,
  });
  const explained = row_version === task.row_version && status === task.status ? data : undefined;
  return (action: string): boolean => {
    if (!rules.some((rule) => rule.action === action && rule.from.includes(status))) return false;
    return explained?.find((one) => one.action === action)?.allowed ?? CAN_FOLLOW.includes(action);
  };
}

type FormProps = { lifecycle: string; work: QueuedWork; onClose: () => void };

function SubmitForm({ lifecycle, work, onClose }: FormProps) {
  const texts = useTexts(WORK_TEXTS);
  const { move } = useWorkQueue(lifecycle);
  const isFix = work.task.kind === "fix";
  return (
    <AskDialog
      form={`my-submit/${work.task.id}`}
      title={withoutDots(texts.submit)}
      lead={work.task.title}
      questions={[
        {
          name: "note",
          label: isFix ? texts.howFixed : texts.note,
          hint: isFix ? texts.howFixedHint : texts.noteHint,
          kind: "text",
          required: isFix,
        },
      ]}
      submit={withoutDots(texts.submit)}
      perform={({ note }) => {
        const text = note.trim();
        move(work, "submit", text === "" ? {} : { resolution: text }, text === "" ? null : text);
        return Promise.resolve();
      }}
      onClose={onClose}
    />
  );
}

function HelpForm({ lifecycle, work, onClose }: FormProps) {
  const texts = useTexts(WORK_TEXTS);
  const { reasons } = useTexts(TEXTS);
  const { move } = useWorkQueue(lifecycle);
  return (
    <AskDialog
      form={`my-help/${work.task.id}`}
      title={withoutDots(texts.askForHelp)}
      lead={work.task.title}
      questions={[
        {
          name: "reason",
          label: texts.reason,
          kind: "choice",
          required: true,
          options: Object.entries(reasons).map(([value, label]) => ({ value, label })),
        },
        { name: "text", label: texts.needed, kind: "text" },
      ]}
      submit={withoutDots(texts.askForHelp)}
      perform={({ reason, text: typed }) => {
        const text = typed.trim();
        // Checked before it is queued: a refusal could come hours later.
        if (reason === "other" && text === "") return Promise.reject(missing("text", texts.neededForOther));
        move(work, "escalate", text === "" ? { reason } : { reason, text }, text === "" ? null : text);
        return Promise.resolve();
      }}
      onClose={onClose}
    />
  );
}

function DefectForm({ lifecycle, work, onClose }: FormProps) {
  const texts = useTexts(WORK_TEXTS);
  const { severity } = useTexts(TEXTS);
  const { reportDefect } = useWorkQueue(lifecycle);
  return (
    <AskDialog
      form={`my-defect/${work.task.id}`}
      title={withoutDots(texts.reportDefect)}
      lead={work.task.title}
      questions={[
        { name: "description", label: texts.wrong, kind: "text", required: true },
        {
          name: "severity",
          label: texts.severity,
          kind: "choice",
          initial: "major",
          options: Object.entries(severity).map(([value, label]) => ({ value, label })),
        },
      ]}
      submit={withoutDots(texts.reportDefect)}
      perform={(answers) => {
        reportDefect(work, answers.description.trim(), answers.severity);
        return Promise.resolve();
      }}
      onClose={onClose}
    />
  );
}

function missing(path: string, message: string): PawlProblem {
  return new PawlProblem({
    code: "VALIDATION_ERROR",
    status: 422,
    detail: message,
    params: { errors: [{ path, message }] },
  });
}

function withoutDots(label: string): string {
  return label.replace("…", "");
}
