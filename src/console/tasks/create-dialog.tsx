import { useId, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client, PawlProblem } from "../data/client.ts";
import type { Lifecycle } from "../data/client.ts";
import { keys } from "../data/keys.ts";
import { placeTask } from "../data/live.ts";
import { queries } from "../data/queries.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ProblemNote } from "../design/states.tsx";
import { toast } from "../design/toasts.tsx";
import { LabelledField, SchemaForm } from "../forms/schema-form.tsx";
import { fieldsOf, mistakesIn, readValues } from "../forms/schema.ts";
import type { Mistakes, Values } from "../forms/schema.ts";
import { useWords } from "../texts/words.tsx";

/** Makes a task of whatever the lifecycle's creation asks for. */
export function CreateDialog({
  lifecycle,
  project_id,
  onClose,
}: {
  lifecycle: Lifecycle;
  project_id: string | null;
  onClose: () => void;
}) {
  const { t } = useWords();
  const queryClient = useQueryClient();
  const { data: projects = [] } = useQuery(queries.projects());
  const [values, setValues] = useState<Values>({});
  const [project, setProject] = useState(project_id ?? "main");
  const [mistakes, setMistakes] = useState<Mistakes>({});
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();
  const fields = fieldsOf(lifecycle.creation.input);
  const submit = async () => {
    const read = readValues(fields, values, t.form);
    setMistakes(read.mistakes);
    if (Object.keys(read.mistakes).length > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      const task = await client.createTask({
        ...read.payload,
        lifecycle: lifecycle.name,
        project_id: project,
      });
      placeTask(queryClient, task.id, task);
      void queryClient.invalidateQueries({ queryKey: keys.overviews });
      toast(t.board.created(task.title));
      onClose();
    } catch (error) {
      setProblem(error);
      if (error instanceof PawlProblem) setMistakes(mistakesIn(error.params));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t.board.newTaskIn(lifecycle.name)}
      lead={lifecycle.summary}
      onClose={onClose}
      onSubmit={() => void submit()}
      foot={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy}>
            {t.common.create}
          </Button>
        </>
      }
    >
      {problem !== null && <ProblemNote problem={problem} />}
      <SchemaForm fields={fields} values={values} mistakes={mistakes} onChange={setValues} />
      <LabelledField id={id} label={t.filters.project} required>
        <select
          id={id}
          className="input"
          value={project}
          onChange={(event) => {
            setProject(event.target.value);
          }}
        >
          {projects.map((one) => (
            <option key={one.id} value={one.id}>
              {one.name}
            </option>
          ))}
        </select>
      </LabelledField>
    </Dialog>
  );
}

/** Whether somebody with these roles may create; the server has the last word. */
export function mayCreate(lifecycle: Lifecycle, roles: readonly string[]): boolean {
  const { roles: allowed } = lifecycle.creation;
  return allowed === "anyone"
    ? roles.some((role) => role !== "viewer")
    : allowed.some((role) => roles.includes(role));
}
