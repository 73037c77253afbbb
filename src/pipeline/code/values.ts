import type {
  Expression,
  Identifier,
  Literal,
  Node,
  ObjectExpression,
  Pattern,
  PrivateIdentifier,
  SpreadElement,
  Super,
  VariableDeclaration,
} from 'acorn';

/** What can be said of a value without executing anything. */
export type Value =
  /** `undefined` or `null`. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'something' }
  | { readonly kind: 'object'; readonly properties: ReadonlyMap<string, Value> }
  /** What the module calls so, or a property of that. */
  | { readonly kind: 'name'; readonly name: string; readonly property: string | null }
  /** What another module exports; `*` is all of it. */
  | { readonly kind: 'import'; readonly from: string; readonly name: string };

export const SOMETHING: Value = { kind: 'something' };
const NOTHING: Value = { kind: 'nothing' };
export const ALL = '*';

export const named = (name: string, property: string | null = null): Value => ({
  kind: 'name',
  name,
  property,
});

/** `from` is a module's name as it stands in the source. */
export const imported = (from: Literal['value'], name: string): Value =>
  typeof from === 'string' ? { kind: 'import', from, name } : SOMETHING;

type AnyExpression = Expression | Super | SpreadElement | PrivateIdentifier;

export function meaningOf(expression: AnyExpression): Value {
  switch (expression.type) {
    case 'Identifier':
      return expression.name === 'undefined' ? NOTHING : named(expression.name);
    case 'Literal':
      return expression.raw === 'null' ? NOTHING : SOMETHING;
    case 'UnaryExpression':
      return expression.operator === 'void' ? NOTHING : SOMETHING;
    case 'AssignmentExpression':
      return meaningOf(expression.right);
    case 'ObjectExpression':
      return { kind: 'object', properties: propertiesOf(expression) };
    case 'MemberExpression': {
      const object = meaningOf(expression.object);
      const property = keyOf(expression.property, expression.computed);
      if (property === null) return SOMETHING;
      if (object.kind === 'name' && object.property === null) return named(object.name, property);
      return object.kind === 'import' && object.name === ALL ? imported(object.from, property) : SOMETHING;
    }
    case 'CallExpression': {
      const [first] = expression.arguments;
      const callee = calleeOf(expression.callee);
      if (callee === 'require' && first?.type === 'Literal') return imported(first.value, ALL);
      // What only wraps its argument: `Object.freeze`, and the helpers of compilers for imports.
      return first && ['freeze', '__importStar', '__importDefault', '__toESM'].includes(callee)
        ? meaningOf(first)
        : SOMETHING;
    }
    default:
      return SOMETHING;
  }
}

/** The properties whose keys are written out. */
export function propertiesOf({ properties }: ObjectExpression): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const property of properties) {
    const key = property.type === 'Property' ? keyOf(property.key, property.computed) : null;
    if (property.type !== 'Property' || key === null) continue;
    values.set(key, property.kind === 'get' ? returnedBy(property.value) : meaningOf(property.value));
  }
  return values;
}

/** Null for one that is worked out when the code is executed. */
export function keyOf(key: Expression | PrivateIdentifier, computed: boolean): string | null {
  if (key.type === 'Literal') return String(key.value);
  return key.type === 'Identifier' && !computed ? key.name : null;
}

/** What a function returns that does nothing else: `() => x`, `function () { return x; }`. */
export function returnedBy(value: AnyExpression): Value {
  if (value.type !== 'ArrowFunctionExpression' && value.type !== 'FunctionExpression') return SOMETHING;
  if (value.body.type !== 'BlockStatement') return meaningOf(value.body);
  const [only] = value.body.body;
  return only?.type === 'ReturnStatement' && only.argument ? meaningOf(only.argument) : SOMETHING;
}

/** The last name of what is called: `freeze` of `Object.freeze`. */
export function calleeOf(callee: AnyExpression): string {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'SequenceExpression') return calleeOf(callee.expressions.at(-1) ?? callee);
  return callee.type === 'MemberExpression' ? (keyOf(callee.property, callee.computed) ?? '') : '';
}

/** The names that a declaration of variables makes. */
export function declaredBy({ declarations }: VariableDeclaration): [string, Value][] {
  return declarations.flatMap(({ id, init }): [string, Value][] => {
    const value = init ? meaningOf(init) : NOTHING;
    return id.type === 'Identifier' ? [[id.name, value]] : partsOf(id, value);
  });
}

/** `const { a, b: c } = …`: of other patterns only the names count. */
function partsOf(pattern: Pattern, value: Value): [string, Value][] {
  if (pattern.type === 'ArrayPattern') {
    return pattern.elements.flatMap((element) => (element ? targetOf(element, SOMETHING) : []));
  }
  if (pattern.type !== 'ObjectPattern') return [];
  return pattern.properties.flatMap((property) => {
    if (property.type === 'RestElement') return targetOf(property.argument, SOMETHING);
    const key = keyOf(property.key, property.computed);
    const isModule = value.kind === 'import' && value.name === ALL && key !== null;
    return targetOf(property.value, isModule ? imported(value.from, key) : SOMETHING);
  });
}

function targetOf(pattern: Pattern, value: Value): [string, Value][] {
  if (pattern.type === 'AssignmentPattern') return targetOf(pattern.left, value);
  return pattern.type === 'Identifier' ? [[pattern.name, value]] : partsOf(pattern, value);
}

/** `exports`, `module.exports` */
export function isExportsObject(node: Node): boolean {
  const { name } = node as Partial<Identifier>;
  if (node.type === 'Identifier') return name === 'exports';
  if (node.type !== 'MemberExpression') return false;
  const value = meaningOf(node as Expression);
  return value.kind === 'name' && value.name === 'module' && value.property === 'exports';
}
