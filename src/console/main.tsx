import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Console } from "./app.tsx";
import "./design/tokens.css";
import "./design/base.css";
import "./design/parts.css";
import "./design/dialog.css";

const root = document.getElementById("console");
if (!root) throw new Error("index.html has no element with the id console");
createRoot(root).render(
  <StrictMode>
    <Console />
  </StrictMode>,
);
