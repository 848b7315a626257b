// The lint rule for plain English, see words.ts: over comments, names of tests, declared names, and modules with texts for users.
import { basename } from "node:path";
import type { AST, Rule, SourceCode } from "eslint";
import { findFaults, findNameFaults } from "./words.ts";
import type { Fault } from "./words.ts";

/** The part of a syntax node that the rule reads. */
type SyntaxNode = {
  type: string;
  loc: AST.SourceLocation;
  name?: string;
  value?: unknown;
  quasis?: { value: { cooked: string } }[];
  object?: SyntaxNode;
  callee?: SyntaxNode;
  arguments?: SyntaxNode[];
  id?: SyntaxNode | null;
};

const TEST_FUNCTIONS = new Set(["test", "it", "describe"]);
const TEXT_MODULES = new Set(["texts.ts", "problems.ts", "settings.ts"]);
/** Comments for tools. */
const DIRECTIVE = /^\s*(?:eslint|prettier|@ts-|global |knip|v8 |c8 |istanbul|#__|\/ <reference)/;

const rule: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    docs: { description: "plain English in comments, names and texts" },
    schema: [],
    messages: { fault: 'Plain English: "{{found}}". Write instead: {{instead}}.' },
  },
  create(context) {
    const { sourceCode, filename } = context;
    const isTextModule = TEXT_MODULES.has(basename(filename));
    const report = (loc: AST.SourceLocation, faults: readonly Fault[]) => {
      for (const data of faults) context.report({ loc, messageId: "fault", data });
    };
    const checkDeclared = ({ id }: SyntaxNode) => {
      if (id?.name !== undefined) report(id.loc, findNameFaults(id.name));
    };
    const checkText = (node: SyntaxNode) => {
      const text = textOf(node);
      if (isTextModule && text.includes(" ")) report(node.loc, findFaults(text));
    };
    const checkTestName = ({ callee, arguments: [title] = [] }: SyntaxNode) => {
      const text = title && TEST_FUNCTIONS.has(functionOf(callee)) ? textOf(title) : "";
      // The name of a test is a sentence that begins with a small letter.
      if (title) report(title.loc, findFaults(text.charAt(0).toUpperCase() + text.slice(1)));
    };
    const listeners: Record<string, (node: SyntaxNode) => void> = {
      CallExpression: checkTestName,
      VariableDeclarator: checkDeclared,
      FunctionDeclaration: checkDeclared,
      ClassDeclaration: checkDeclared,
      TSTypeAliasDeclaration: checkDeclared,
      Literal: checkText,
      TemplateLiteral: checkText,
      Program: () => {
        for (const { loc, text } of proseOf(sourceCode)) report(loc, findFaults(text));
      },
    };
    return listeners as unknown as Rule.RuleListener;
  },
};

export default rule;

type Prose = { type: string; text: string; loc: AST.SourceLocation };

/** The texts of comments. Line comments that follow each other are one text. */
function proseOf(sourceCode: SourceCode): Prose[] {
  const proses: Prose[] = [];
  for (const { type, value, loc } of sourceCode.getAllComments()) {
    if (!loc || DIRECTIVE.test(value)) continue;
    const text = value.replace(/^\s*\*+ ?/gm, "").trim();
    const last = proses.at(-1);
    if (type === "Line" && last?.type === "Line" && last.loc.end.line + 1 === loc.start.line) {
      last.text += `\n${text}`;
      last.loc = { start: last.loc.start, end: loc.end };
    } else proses.push({ type, text, loc });
  }
  return proses;
}

/** `test` of `test(…)`, `test.each(…)(…)` and `test.skipIf(…)(…)`. */
function functionOf(callee: SyntaxNode | undefined): string {
  if (callee === undefined) return "";
  return callee.name ?? functionOf(callee.object ?? callee.callee);
}

function textOf({ value, quasis }: SyntaxNode): string {
  if (typeof value === "string") return value;
  return quasis?.map((part) => part.value.cooked).join("…") ?? "";
}
