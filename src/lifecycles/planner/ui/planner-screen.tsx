import type { ReactNode } from "react";
import { LifecycleHead, Loaded, ProjectPicker } from "../../../console/index.ts";
import "./planner.css";

/** Renders the head with the project picker and, when all queries have answered, the content. */
export function PlannerScreen<Answers extends unknown[]>({
  lifecycle,
  queries,
  layout,
  children,
}: {
  lifecycle: string;
  queries: Parameters<typeof Loaded<Answers>>[0]["of"];
  /** Class of the element around the content. */
  layout: "floor" | "quality";
  children: (...answers: Answers) => ReactNode;
}) {
  return (
    <>
      <LifecycleHead lifecycle={lifecycle}>
        <ProjectPicker />
      </LifecycleHead>
      <Loaded of={queries}>{(...answers) => <div className={layout}>{children(...answers)}</div>}</Loaded>
    </>
  );
}
