import { navigate } from "../router.tsx";

/** The one-time code of the link that opened this page, or null. Removes it from the address at once, and so from the history. */
export function takeLoginCode(): string | null {
  if (location.pathname !== "/sign-in") return null;
  const code = location.hash.slice(1);
  navigate("/", { replace: true });
  return code === "" ? null : code;
}
