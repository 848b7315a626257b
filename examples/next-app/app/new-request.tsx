"use client";

import { useActionState } from "react";
import { createRequest } from "./actions.ts";

export function NewRequest() {
  const [problem, create, pending] = useActionState(createRequest, null);
  return (
    <form action={create} className="new">
      <input name="title" aria-label="What is needed?" placeholder="What is needed?" required />
      <input name="room" aria-label="Room" placeholder="Room" required />
      <button disabled={pending}>Request it</button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
