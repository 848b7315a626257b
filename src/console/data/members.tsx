import { createContext, useContext, useMemo } from "react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { queries } from "./queries.ts";

const Names = createContext<ReadonlyMap<string, string>>(new Map());

/** Loads the members' names once for all components below; otherwise each of a hundred cards would request them. */
export function MemberNamesProvider({ children }: { children: ReactNode }) {
  const { data } = useQuery(queries.members());
  const names = useMemo(() => new Map(data?.map(({ id, name }) => [id, name])), [data]);
  return <Names.Provider value={names}>{children}</Names.Provider>;
}

/** Returns a lookup of member names by id; an unknown id is returned as it is. */
export function useMemberNames(): (id: string | null) => string {
  const names = useContext(Names);
  return (id) => (id === null ? "" : (names.get(id) ?? id));
}
