/** A text of an answer as it grows: a block that is complete is drawn once and never looked at again. */

import { Component } from "preact";
import type { TextBlock } from "../../models/playground/text/block_splitter.ts";
import type { Citation } from "../../models/playground/text/citations.ts";
import type { StreamedText } from "../../models/playground/text/streamed_text.ts";
import { Block } from "./markdown.tsx";

interface GroupProps {
  readonly blocks: readonly TextBlock[];
  readonly citations: readonly Citation[];
}

class Group extends Component<GroupProps> {
  override shouldComponentUpdate(next: GroupProps): boolean {
    return next.blocks !== this.props.blocks || next.citations !== this.props.citations;
  }

  override render({ blocks, citations }: GroupProps) {
    return (
      <div class="prose prose-group">
        {blocks.map((block, at) => <Settled key={at} block={block} citations={citations} />)}
      </div>
    );
  }
}

interface SettledProps {
  readonly block: TextBlock;
  readonly citations: readonly Citation[];
}

class Settled extends Component<SettledProps> {
  override shouldComponentUpdate(next: SettledProps): boolean {
    return next.block !== this.props.block || next.citations !== this.props.citations;
  }

  override render({ block, citations }: SettledProps) {
    return <Block block={block} citations={citations} />;
  }
}

/** The block that grows, read apart from the others. */
function Open({ text, citations, isLive }: ProseProps) {
  const block = text.open.value;
  return (
    <>
      {block !== undefined && <Block block={block} citations={citations} />}
      {isLive && block?.type !== "markdown" && block?.type !== "plain" && (
        <span class="caret" aria-hidden="true" />
      )}
    </>
  );
}

interface ProseProps {
  readonly text: StreamedText;
  readonly citations: readonly Citation[];
  readonly isLive: boolean;
}

export function Prose(props: ProseProps) {
  const { text, citations, isLive } = props;
  return (
    <div class={`prose${isLive ? " prose-live" : ""}`}>
      {text.groups.value.map((blocks, at) => <Group key={at} blocks={blocks} citations={citations} />)}
      <Open {...props} />
    </div>
  );
}
