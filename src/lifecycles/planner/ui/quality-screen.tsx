import { LifecycleHead, ProjectPicker, useLiveQuery, Loaded } from "../../../console/index.ts";
import { Defects } from "./defects.tsx";
import { Deliverables } from "./deliverables.tsx";
import { LOOK_EVERY_MS, MOST, planner, useProject } from "./planner-calls.ts";
import "./planner.css";

/** What is wrong, what mends it, and what quality control says. */
export default function QualityScreen({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const defects = useLiveQuery({
    lifecycle,
    key: ["defects", project],
    ask: (signal) => planner.listDefects({ ...project, limit: MOST }, { signal }),
    everyMs: LOOK_EVERY_MS,
  });
  const deliverables = useLiveQuery({
    lifecycle,
    key: ["deliverables", project],
    ask: (signal) => planner.listDeliverables({ ...project, limit: MOST }, { signal }),
    everyMs: LOOK_EVERY_MS,
  });
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={[defects, deliverables]}>
        {(wrong, made) => (
          <div className="quality">
            <Defects lifecycle={lifecycle} defects={wrong.defects} />
            <Deliverables lifecycle={lifecycle} deliverables={made.deliverables} />
          </div>
        )}
      </Loaded>
    </>
  );
}
