/**
 * A promise that is kept for later callers goes through `shared/util/memo.ts`, which keeps no failure: one that stays
 * after it has rejected fails everybody until a restart.
 */

import { placeOf } from "./place.ts";

const HELPER = "shared/util/memo.ts";

type TypeNode = Deno.lint.Node | undefined;

const nameOf = (type: TypeNode): string | undefined =>
  type?.type === "TSTypeReference" && type.typeName.type === "Identifier" ? type.typeName.name : undefined;

const isPromise = (type: TypeNode): boolean => nameOf(type) === "Promise";

/** `Promise<T> | undefined`: filled when it is first asked for. */
function isFilledLater(type: TypeNode): boolean {
  if (type?.type !== "TSUnionType") return false;
  return type.types.some(isPromise) && type.types.some(({ type: kind }) => kind === "TSUndefinedKeyword");
}

interface Generic {
  readonly typeArguments?: { readonly params: readonly Deno.lint.Node[] } | null;
}

const holdsPromises = ({ typeArguments }: Generic): boolean => typeArguments?.params.some(isPromise) === true;

/** `Map<K, Promise<T>>` and its like, as a type. */
const isTableType = (type: TypeNode): boolean =>
  type?.type === "TSTypeReference" && /^(Weak)?Map$/.test(nameOf(type) ?? "") && holdsPromises(type);

/** The same as it is made: `new Map<K, Promise<T>>()`. */
const isTable = (node: Deno.lint.Node | null): boolean =>
  node?.type === "NewExpression" && node.callee.type === "Identifier" &&
  /^(Weak)?Map$/.test(node.callee.name) && holdsPromises(node);

export const keptPromisesRule: Deno.lint.Rule = {
  create(ctx) {
    const { path, test } = placeOf(ctx.filename);
    if (test || path === HELPER) return {};
    const report = (node: Deno.lint.Node) =>
      ctx.report({
        node,
        message: "A promise that is kept may have failed: the next caller must have its own try",
        hint: `Use Memo or SharedWork of ${HELPER}, or say why a failure may stay or cannot be`,
      });
    return {
      PropertyDefinition(node) {
        const type = node.typeAnnotation?.typeAnnotation;
        const isLater = !node.readonly && (isFilledLater(type) || (node.optional && isPromise(type)));
        if (isLater || isTableType(type) || isTable(node.value)) report(node);
      },
      TSPropertySignature(node) {
        const type = node.typeAnnotation?.typeAnnotation;
        if (!node.readonly && (isFilledLater(type) || (node.optional && isPromise(type)))) report(node);
      },
      VariableDeclarator(node) {
        const type = node.id.type === "Identifier" ? node.id.typeAnnotation?.typeAnnotation : undefined;
        const isLet = node.parent.type === "VariableDeclaration" && node.parent.kind === "let";
        if ((isLet && isFilledLater(type)) || isTableType(type) || isTable(node.init)) report(node);
      },
    };
  },
};
