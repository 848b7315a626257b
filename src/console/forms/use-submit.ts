import { useState } from "react";
import { PawlProblem } from "../data/client.ts";
import { fieldErrorsFrom } from "./schema.ts";
import type { FieldErrors } from "./schema.ts";

/** Submits a form, one request at a time; keeps errors to show at the fields and above them. */
export function useSubmit() {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  const [errors, setErrors] = useState<FieldErrors>({});
  /** Sends nothing if errors were found in the input. */
  const send = async (request: () => Promise<unknown>, found: FieldErrors = {}) => {
    setErrors(found);
    if (Object.keys(found).length > 0) focusFirstError();
    if (busy || Object.keys(found).length > 0) return;
    setBusy(true);
    setProblem(null);
    try {
      await request();
    } catch (error) {
      setProblem(error);
      if (error instanceof PawlProblem) setErrors(fieldErrorsFrom(error.params));
      focusFirstError();
    } finally {
      setBusy(false);
    }
  };
  return { busy, problem, errors, send };
}

/** Focuses the first refused field, once it is marked. */
function focusFirstError(): void {
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>("dialog[open] [aria-invalid=true]")?.focus();
  });
}
