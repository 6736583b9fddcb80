/**
 * The names that a declaration refers to: types, `typeof` values, base classes, computed keys and `import("...")` types, each with its
 * range in the text. Type parameters and parameters are not reported, because they are names of the declaration itself.
 */

/**
 * Calls `visit` for each reference in a node.
 *
 * @param {object} node
 * @param {(reference: { start: number, end: number, name: string, next?: { name: string, end: number }, source?: string, hidden: Set<string> }) => void} visit
 *   `name` is the first name of a path such as `linalg.Options`, and `next` the second; `source` is the file of an `import("...")` type.
 *   `hidden` has the type parameters that are in scope.
 */
export function visitReferences(node, visit, hidden = new Set()) {
  if (Array.isArray(node)) {
    for (const item of node) visitReferences(item, visit, hidden);
    return;
  }
  if (node === null || typeof node !== "object" || typeof node.type !== "string") return;
  const inside = scopeOf(node, hidden);
  const path = pathOf(node);
  if (path !== undefined) report(path, visit, inside);
  if (node.type === "TSConditionalType") {
    const withInferred = new Set([...inside, ...inferredIn(node.extendsType)]);
    visitReferences([node.checkType, node.falseType], visit, inside);
    visitReferences([node.extendsType, node.trueType], visit, withInferred);
    return;
  }
  for (const value of Object.values(node)) if (value !== path) visitReferences(value, visit, inside);
  // The parts of a path hold no other references, except the type arguments of `import("...")`.
  if (path !== node && path?.type === "TSImportType") visitReferences(path.typeArguments, visit, inside);
}

/** The expression in a node that refers to a declaration by its name, if there is one. */
function pathOf(node) {
  switch (node.type) {
    case "TSTypeReference":
      return node.typeName;
    case "TSTypeQuery":
      return node.exprName;
    case "TSImportType":
      return node;
    case "TSInterfaceHeritage":
    case "TSClassImplements":
      return node.expression;
    case "ClassDeclaration":
      return node.superClass ?? undefined;
    default:
      return node.computed && node.key ? node.key : undefined;
  }
}

function report(path, visit, hidden) {
  if (path.type === "TSImportType") {
    const second = namesOf(path.qualifier)[0];
    visit({
      start: path.start,
      end: second?.end ?? path.end,
      name: "*",
      next: second,
      source: path.source.value,
      hidden,
    });
    return;
  }
  const [first, next] = namesOf(path);
  if (first && !hidden.has(first.name)) visit({ start: first.start, end: first.end, name: first.name, next, hidden });
}

/** The identifiers of a path such as `a.b.c`, in order; none for `this` and literals. */
function namesOf(node) {
  switch (node?.type) {
    case "Identifier":
      return [node];
    case "TSQualifiedName":
      return [...namesOf(node.left), node.right];
    case "MemberExpression":
      return [...namesOf(node.object), node.property];
    default:
      return [];
  }
}

/** The names that are hidden inside a node: those hidden outside, its type parameters and its parameters. */
function scopeOf(node, hidden) {
  const own = [
    ...(node.typeParameters?.params ?? []).map(({ name }) => name.name),
    ...(node.type === "TSMappedType" ? [node.key.name] : []),
    ...(node.params ?? []).flatMap((param) => (param.type === "Identifier" ? [param.name] : [])),
  ];
  return own.length === 0 ? hidden : new Set([...hidden, ...own]);
}

/** The names after `infer` in a type. */
function inferredIn(node) {
  if (Array.isArray(node)) return node.flatMap(inferredIn);
  if (node === null || typeof node !== "object") return [];
  const own = node.type === "TSInferType" ? [node.typeParameter.name.name] : [];
  return [...own, ...Object.values(node).flatMap(inferredIn)];
}
