import { z } from "zod";

const flag = { schema: z.boolean(), default: false, expected: "true or false" } as const;

/** Defaults for the projects' extensions of the rules. */
export const CODE_SETTINGS = {
  codeOperatorControls: {
    ...flag,
    env: "PAWL_CODE_OPERATOR_CONTROLS",
    projectDefault: "operator_controls",
    description:
      "lets people withdraw, stop, pause and edit coding tasks, in projects without a setting of their own",
  },
  codeReview: {
    ...flag,
    env: "PAWL_CODE_REVIEW",
    projectDefault: "review",
    description:
      "merges the work of coding agents only after an approval, in projects without a setting of their own",
  },
  codeContinue: {
    ...flag,
    env: "PAWL_CODE_CONTINUE",
    projectDefault: "continue",
    description:
      "after a failed attempt, lets the next one continue its work and session, in projects without a setting of their own",
  },
} as const;
