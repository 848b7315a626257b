import { useId, useState } from "react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { client } from "../../data/client.ts";
import type { LifecycleBrief, Project } from "../../data/client.ts";
import { keys } from "../../data/keys.ts";
import { queries, useMe } from "../../data/queries.ts";
import { Button } from "../../design/button.tsx";
import { Dialog } from "../../design/dialog.tsx";
import { ProblemNote } from "../../design/states.tsx";
import { toast } from "../../design/toasts.tsx";
import { LabelledField } from "../../forms/schema-form.tsx";
import { useDraft } from "../../forms/use-draft.tsx";
import { useSubmit } from "../../forms/use-submit.ts";
import { useI18n } from "../../texts/i18n.tsx";
import { ProjectSettings } from "./project-settings.tsx";

type Open = { kind: "new" } | { kind: "settings"; project: Project; lifecycle: string };

/** Projects with their own settings for each lifecycle. */
export function Projects({ projects }: { projects: readonly Project[] }) {
  const { t } = useI18n();
  const me = useMe();
  const isAdmin = me.roles.includes("admin");
  const { data: lifecycles = [] } = useQuery(queries.lifecycles());
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => {
    setOpen(null);
  };
  return (
    <section className="card wide">
      <header className="head">
        <h2>{t.settings.projects}</h2>
        <span className="faint small cut">{isAdmin ? t.settings.projectsHint : t.settings.onlyAdmins}</span>
        <span className="push" />
        {isAdmin && me.project_ids === null && (
          <Button
            small
            icon="plus"
            onClick={() => {
              setOpen({ kind: "new" });
            }}
          >
            {t.settings.newProject}
          </Button>
        )}
      </header>
      <ul className="projects">
        {projects.map((project) => (
          <li key={project.id}>
            <span className="stack name">
              <b>{project.name}</b>
              <code className="faint">{project.id}</code>
            </span>
            <span className="row wrap">
              {lifecycles.map(({ name }) => (
                <SettingsButton
                  key={name}
                  project={project}
                  lifecycle={name}
                  isAdmin={isAdmin}
                  onOpen={() => {
                    setOpen({ kind: "settings", project, lifecycle: name });
                  }}
                />
              ))}
            </span>
          </li>
        ))}
      </ul>
      {open?.kind === "new" && <NewProject onClose={close} />}
      {open?.kind === "settings" && (
        <ProjectSettings project={open.project} lifecycle={open.lifecycle} onClose={close} />
      )}
    </section>
  );
}

function SettingsButton({
  project,
  lifecycle,
  isAdmin,
  onOpen,
}: {
  project: Project;
  lifecycle: LifecycleBrief["name"];
  isAdmin: boolean;
  onOpen: () => void;
}) {
  const { t } = useI18n();
  const own = countLeaves(project.settings[lifecycle]);
  const title = own === 0 ? t.settings.defaultsOnly : t.settings.changed(own);
  return (
    <Button small disabled={!isAdmin} title={title} onClick={onOpen}>
      {lifecycle}
      {own > 0 && (
        <span className="badge" data-tone="accent">
          {own}
        </span>
      )}
    </Button>
  );
}

function countLeaves(value: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "object" || Array.isArray(value)) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + countLeaves(part), 0);
}

function NewProject({ onClose }: { onClose: () => void }) {
  const { t } = useI18n();
  const queryClient = useQueryClient();
  const draft = useDraft("project", () => ({ id: "", name: "" }), onClose);
  const { values: input, change: setInput, close } = draft;
  const { busy, problem, errors, send } = useSubmit();
  const id = useId();
  const save = async () => {
    const filled = Object.entries(input).flatMap(([name, value]) =>
      value.trim() === "" ? [] : [[name, value.trim()]],
    );
    await client.createProject(Object.fromEntries(filled) as Partial<typeof input>);
    await queryClient.invalidateQueries({ queryKey: keys.projects });
    toast(t.settings.saved);
    close();
  };
  return (
    <Dialog
      title={t.settings.newProject}
      onClose={draft.dismiss}
      onSubmit={() => void send(save, input.name.trim() === "" ? { name: t.form.required } : {})}
      foot={
        <>
          <Button onClick={close}>{t.common.cancel}</Button>
          <Button look="main" type="submit" disabled={busy}>
            {t.common.create}
          </Button>
        </>
      }
    >
      {draft.note}
      {problem !== null && <ProblemNote problem={problem} />}
      {(["name", "id"] as const).map((name) => (
        <LabelledField
          key={name}
          id={`${id}-${name}`}
          label={name === "id" ? t.settings.projectId : t.settings.projectName}
          required={name === "name"}
          hint={name === "id" ? t.members.idHint : undefined}
          error={errors[name]}
        >
          <input
            id={`${id}-${name}`}
            className="input"
            value={input[name]}
            aria-invalid={errors[name] !== undefined}
            onChange={(event) => {
              setInput({ ...input, [name]: event.target.value });
            }}
          />
        </LabelledField>
      ))}
    </Dialog>
  );
}
