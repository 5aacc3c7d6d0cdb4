/**
 * Draws a model's Markdown: tokens of a parser become elements, never a text that is read as HTML. Links tell where
 * they lead, and no picture is asked for elsewhere, because its address could carry a text out.
 */

import { Lexer, type Token, type Tokens } from "marked";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { CodeBlock } from "../../components/copy.tsx";
import { Icon } from "../../components/icon.tsx";
import { inlineImage, type TextBlock } from "../../models/playground/text/block_splitter.ts";
import { type Citation, citationMark } from "../../models/playground/text/citations.ts";
import { turnText } from "../../text/playground.ts";
import { fileIdOf, FileImage } from "./file_image.tsx";

interface DrawContext {
  readonly citations: readonly Citation[];
  /** Pictures that stood in the text with their bytes, by the numbers that stand in their place. */
  readonly pictures: readonly { readonly alt: string; readonly url: string }[];
}

/** Stands around the number of a picture while a text is parsed. */
const pictureMark = /\uE002(\d{1,4})\uE003/;
const anyMark = /(\uE000\d{1,4}\uE001|\uE002\d{1,4}\uE003)/;

const entities: ReadonlyMap<string, string> = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
  ["nbsp", "\u00A0"],
]);

/** The characters that a parser leaves as entities. */
function decode(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (whole, digits, hex, name) => {
    if (name !== undefined) return entities.get(String(name).toLowerCase()) ?? whole;
    const code = digits === undefined ? parseInt(hex, 16) : Number(digits);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** An address that a link may have; undefined for every other, such as one of this page or a script. */
function linkAddress(href: string): URL | undefined {
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return undefined;
  return URL.canParse(href) ? new URL(href) : undefined;
}

function Address({ url, text }: { readonly url: URL; readonly text: string }) {
  const shown = url.href.replace(/^https?:\/\//, "").replace(/\/$/, "");
  if (text.replace(/^https?:\/\//, "").replace(/\/$/, "") === shown) return null;
  return (
    <bdi class="link-address" title={url.href}>
      {shown.length > 60 ? `${shown.slice(0, 60)}…` : shown}
    </bdi>
  );
}

export function ModelLink({ href, children, text }: {
  readonly href: string;
  /** Its words, to be told from its address. */
  readonly text: string;
  readonly children: ComponentChildren;
}) {
  const url = linkAddress(href);
  if (url === undefined) {
    return (
      <>
        {children} <bdi class="link-address">{href}</bdi>
      </>
    );
  }
  return (
    <>
      <a href={url.href} target="_blank" rel="noopener noreferrer" title={url.href}>
        <bdi>{children}</bdi>
      </a>
      <Address url={url} text={text} />
    </>
  );
}

function Cite({ citation }: { readonly citation: Citation | undefined }) {
  if (citation === undefined) return null;
  const { number, title, url } = citation;
  const address = url === undefined ? undefined : linkAddress(url);
  if (address === undefined) return <span class="cite" title={title}>{number}</span>;
  return (
    <a
      class="cite"
      href={address.href}
      target="_blank"
      rel="noopener noreferrer"
      title={address.href}
      aria-label={turnText.source(number)}
    >
      {number}
    </a>
  );
}

/** A text between tokens, with what stands for sources and pictures in it. */
function Words({ text, context }: { readonly text: string; readonly context: DrawContext }) {
  const parts = text.split(anyMark);
  if (parts.length === 1) return <>{decode(text)}</>;
  return (
    <>
      {parts.map((part, at) => {
        const [, source] = citationMark.exec(part) ?? [];
        if (source !== undefined) {
          return <Cite key={at} citation={context.citations[Number(source) - 1]} />;
        }
        const [, picture] = pictureMark.exec(part) ?? [];
        const shown = picture === undefined ? undefined : context.pictures[Number(picture)];
        if (shown !== undefined) return <img key={at} class="prose-image" src={shown.url} alt={shown.alt} />;
        return decode(part);
      })}
    </>
  );
}

function Picture({ href, text }: Pick<Tokens.Image, "href" | "text">) {
  const fileId = fileIdOf(href);
  if (fileId !== undefined) return <FileImage id={fileId} alt={text} />;
  const words = turnText.pictureElsewhere(text);
  return (
    <span class="picture-elsewhere">
      <Icon name="image" />
      <ModelLink href={href} text={words}>{words}</ModelLink>
    </span>
  );
}

const isText = (token: Token): token is Tokens.Text => token.type === "text";

function Inline({ tokens = [], context }: {
  readonly tokens: readonly Token[] | undefined;
  readonly context: DrawContext;
}) {
  return <>{tokens.map((token, at) => <InlineToken key={at} token={token} context={context} />)}</>;
}

function InlineToken({ token, context }: { readonly token: Token; readonly context: DrawContext }) {
  const inner = () => <Inline tokens={"tokens" in token ? token.tokens : undefined} context={context} />;
  switch (token.type) {
    case "strong":
      return <strong>{inner()}</strong>;
    case "em":
      return <em>{inner()}</em>;
    case "del":
      return <del>{inner()}</del>;
    case "codespan":
      return <code>{decode(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
      return <ModelLink href={token.href} text={token.text}>{inner()}</ModelLink>;
    case "image":
      return <Picture href={token.href} text={token.text} />;
    case "checkbox":
      return <>{token.checked ? "☑ " : "☐ "}</>;
    case "escape":
      return <>{token.text}</>;
    case "text":
      return isText(token) && token.tokens !== undefined
        ? inner()
        : <Words text={String(token.text)} context={context} />;
    default:
      return <Words text={token.raw} context={context} />;
  }
}

function List({ token, context }: { readonly token: Tokens.List; readonly context: DrawContext }) {
  const items = token.items.map((item, at) => (
    <li key={at}>
      <Blocks tokens={item.tokens} context={context} />
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function TableOf({ token, context }: { readonly token: Tokens.Table; readonly context: DrawContext }) {
  return (
    <div class="prose-table" tabIndex={0} role="region" aria-label={turnText.output}>
      <table>
        <thead>
          <tr>
            {token.header.map((cell, at) => (
              <th key={at} scope="col">
                <Inline tokens={cell.tokens} context={context} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {token.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>
                  <Inline tokens={cell.tokens} context={context} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const isList = (token: Token): token is Tokens.List => token.type === "list";
const isTable = (token: Token): token is Tokens.Table => token.type === "table";

function BlockToken({ token, context }: { readonly token: Token; readonly context: DrawContext }) {
  if (isList(token)) return <List token={token} context={context} />;
  if (isTable(token)) return <TableOf token={token} context={context} />;
  const tokens = "tokens" in token ? token.tokens : undefined;
  switch (token.type) {
    case "space":
      return null;
    case "hr":
      return <hr />;
    case "code":
      return <CodeBlock title={turnText.output} code={token.text} />;
    case "heading":
      return (
        <p class="prose-heading" role="heading" aria-level={Math.min(6, 2 + token.depth)} dir="auto">
          <Inline tokens={tokens} context={context} />
        </p>
      );
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={tokens ?? []} context={context} />
        </blockquote>
      );
    case "paragraph":
    case "text":
      return (
        <p dir="auto">
          {tokens === undefined
            ? <Words text={String(token.raw)} context={context} />
            : <Inline tokens={tokens} context={context} />}
        </p>
      );
    case "checkbox":
      return <InlineToken token={token} context={context} />;
    default:
      return <p dir="auto">{token.raw}</p>;
  }
}

function Blocks({ tokens, context }: { readonly tokens: readonly Token[]; readonly context: DrawContext }) {
  return <>{tokens.map((token, at) => <BlockToken key={at} token={token} context={context} />)}</>;
}

/** Takes pictures with their bytes out of a text, which a parser need not look through. */
function withoutPictures(text: string) {
  const pictures: { readonly alt: string; readonly url: string }[] = [];
  if (!text.includes("](data:image/")) return { text, pictures };
  const rest = text.replaceAll(inlineImage, (_, alt: string, url: string) => {
    pictures.push({ alt, url });
    return `\uE002${pictures.length - 1}\uE003`;
  });
  return { text: rest, pictures };
}

function MarkdownBlock({ text, citations }: {
  readonly text: string;
  readonly citations: readonly Citation[];
}) {
  const { tokens, pictures } = useMemo(() => {
    const { text: words, pictures } = withoutPictures(text);
    return { tokens: new Lexer({ gfm: true }).lex(words), pictures };
  }, [text]);
  return <Blocks tokens={tokens} context={{ citations, pictures }} />;
}

export function Block({ block, citations }: {
  readonly block: TextBlock;
  readonly citations: readonly Citation[];
}) {
  switch (block.type) {
    case "markdown":
      return <MarkdownBlock text={block.text} citations={citations} />;
    case "code":
      return block.continued
        ? (
          <div class="code code-continued">
            <pre tabIndex={0} aria-label={turnText.output} role="region"><code>{block.text}</code></pre>
          </div>
        )
        : <CodeBlock title={block.language === "" ? turnText.output : block.language} code={block.text} />;
    case "plain":
      return <p class="plain-text" dir="auto">{block.text}</p>;
  }
}
