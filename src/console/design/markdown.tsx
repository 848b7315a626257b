import { Fragment, useMemo } from "react";
import type { ReactNode } from "react";
import type { MarkedToken, Token, Tokens } from "marked";
import { decodeEntities, parseMarkdown, safeAddress } from "./parse-markdown.ts";
import "./markdown.css";

/**
 * A text in Markdown, as React elements. HTML in it is shown as its source, links lead to http, https and mailto addresses only, and
 * images become links, so that the page loads nothing from other servers.
 */
export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div className="markdown">
      {tokens ? (
        <Blocks tokens={tokens} />
      ) : (
        <p className="written" dir="auto">
          {text}
        </p>
      )}
    </div>
  );
}

function Blocks({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => <Block key={index} token={token as MarkedToken} />);
}

function Block({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "heading": {
      // The page and its cards have the first two levels.
      const Heading = (["h3", "h4", "h5", "h6"] as const)[token.depth - 1] ?? "h6";
      return (
        <Heading dir="auto">
          <Inline tokens={token.tokens} />
        </Heading>
      );
    }
    case "paragraph":
      return (
        <p dir="auto">
          <Inline tokens={token.tokens} />
        </p>
      );
    case "blockquote":
      return (
        <blockquote dir="auto">
          <Blocks tokens={token.tokens} />
        </blockquote>
      );
    case "code":
      // Focusable, so that the keyboard can scroll it.
      return (
        <pre dir="ltr" tabIndex={0}>
          <code>{token.text}</code>
        </pre>
      );
    case "list":
      return <List list={token} />;
    case "table":
      return <Table table={token} />;
    default:
      return <Inline tokens={[token]} />;
  }
}

function List({ list: { ordered, start, items } }: { list: Tokens.List }) {
  const children = items.map((item, index) => (
    <li key={index} dir="auto" data-task={item.task}>
      <Blocks tokens={item.tokens} />
    </li>
  ));
  return ordered ? <ol start={Number(start)}>{children}</ol> : <ul>{children}</ul>;
}

function Table({ table: { header, rows } }: { table: Tokens.Table }) {
  const cells = (Cell: "th" | "td", row: readonly Tokens.TableCell[]) => (
    <tr>
      {row.map(({ tokens, align }, index) => (
        <Cell key={index} dir="auto" data-align={align ?? undefined}>
          <Inline tokens={tokens} />
        </Cell>
      ))}
    </tr>
  );
  return (
    <div className="markdown-table" tabIndex={0}>
      <table>
        <thead>{cells("th", header)}</thead>
        <tbody>
          {rows.map((row, index) => (
            <Fragment key={index}>{cells("td", row)}</Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Inline({ tokens }: { tokens: readonly Token[] }) {
  return tokens.map((token, index) => <Span key={index} token={token as MarkedToken} />);
}

function Span({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens ? <Inline tokens={token.tokens} /> : decodeEntities(token.text);
    case "escape":
      return token.text;
    case "codespan":
      return <code>{token.text}</code>;
    case "br":
      return <br />;
    case "strong":
      return (
        <strong>
          <Inline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inline tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inline tokens={token.tokens} />
        </del>
      );
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "link":
      return (
        <Address of={token}>
          <Inline tokens={token.tokens} />
        </Address>
      );
    case "image":
      return <Address of={token}>{decodeEntities(token.text) || token.href}</Address>;
    default:
      return token.raw;
  }
}

/** A link with its complete address as tooltip, or the source if it must not be opened. */
function Address({ of, children }: { of: Tokens.Link | Tokens.Image; children: ReactNode }) {
  const address = safeAddress(of.href);
  if (address === null) return of.raw;
  return (
    <a href={address} title={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}
