import { createContext, useContext, useMemo } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "./queries.ts";

const Names = createContext<ReadonlyMap<string, string>>(new Map());

/** Knows the members' names for all below: of a hundred cards each would ask for itself otherwise. */
export function KnowMembers({ children }: { children: ReactNode }) {
  const { data } = useQuery(queries.members());
  const names = useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
  return <Names.Provider value={names}>{children}</Names.Provider>;
}

/** Names by id, for those who are shown by theirs. */
export function useMemberNames(): (id: string | null) => string {
  const names = useContext(Names);
  return (id) => (id === null ? "" : (names.get(id) ?? id));
}
