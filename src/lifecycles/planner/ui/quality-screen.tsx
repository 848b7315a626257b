import { useLiveQuery } from "../../../console/index.ts";
import { Defects } from "./defects.tsx";
import { Deliverables } from "./deliverables.tsx";
import { POLL_INTERVAL_MS, MAX_ROWS, planner, useProject } from "./planner-calls.ts";
import { PlannerScreen } from "./planner-screen.tsx";

/** Defects, deliverables and inspections. */
export default function QualityScreen({ lifecycle }: { lifecycle: string }) {
  const project = useProject();
  const defects = useLiveQuery({
    lifecycle,
    key: ["defects", project],
    ask: (signal) => planner.listDefects({ ...project, limit: MAX_ROWS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  const deliverables = useLiveQuery({
    lifecycle,
    key: ["deliverables", project],
    ask: (signal) => planner.listDeliverables({ ...project, limit: MAX_ROWS }, { signal }),
    everyMs: POLL_INTERVAL_MS,
  });
  return (
    <PlannerScreen lifecycle={lifecycle} queries={[defects, deliverables]} layout="quality">
      {(defectPage, deliverablePage) => (
        <>
          <Defects lifecycle={lifecycle} defects={defectPage.defects} />
          <Deliverables lifecycle={lifecycle} deliverables={deliverablePage.deliverables} />
        </>
      )}
    </PlannerScreen>
  );
}
