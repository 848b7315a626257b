import { useQuery } from "@tanstack/react-query";
import { addresses } from "../addresses.ts";
import { queries } from "../data/queries.ts";
import { Link } from "../router.tsx";

/** Link to a task by its title; shows the id until the title is loaded, or if the task is gone. */
export function TaskLink({ id }: { id: string }) {
  const { data: title } = useQuery(queries.title(id));
  return (
    <Link className={title === undefined ? "mono cut" : "cut"} href={addresses.task(id)} title={title}>
      {title ?? id.slice(-12)}
    </Link>
  );
}
