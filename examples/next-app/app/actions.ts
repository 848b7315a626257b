"use server";

import { PawlProblem } from "pawl/client";
import { refresh } from "next/cache";
import { office } from "../lib/pawl.ts";

/** Creates a task from the form. Returns the reason if Pawl refuses it. */
export async function createRequest(_: string | null, form: FormData): Promise<string | null> {
  const text = (name: string) => String(form.get(name) ?? "");
  const requests = (await office()).lifecycle("request");
  try {
    await requests.create({ title: text("title"), room: text("room") });
  } catch (error) {
    if (error instanceof PawlProblem) return error.detail;
    throw error;
  }
  refresh();
  return null;
}

export async function finishRequest(id: string): Promise<void> {
  try {
    await (await office()).lifecycle("request").act(id, "finish");
  } catch (error) {
    // A colleague was faster: the list below shows it.
    if (!(error instanceof PawlProblem)) throw error;
  }
  refresh();
}
