/** Messages whose roles alternate. */

interface Message<Role, Block> {
  readonly role: Role;
  readonly content: readonly Block[];
}

/** Messages of one role in a row become one; one without content is none. */
export function joinByRole<Role, Block>(
  messages: Message<Role, Block>[],
  { role, content }: Message<Role, Block>,
): void {
  if (content.length === 0) return;
  const last = messages.at(-1);
  if (last?.role !== role) messages.push({ role, content });
  else messages[messages.length - 1] = { role, content: [...last.content, ...content] };
}
