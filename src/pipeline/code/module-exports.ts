import type {
  AssignmentExpression,
  CallExpression,
  ExportNamedDeclaration,
  Expression,
  Identifier,
  ImportDeclaration,
  Literal,
  ModuleDeclaration,
  ObjectExpression,
  Program,
  Statement,
} from 'acorn';
import {
  ALL,
  calleeOf,
  declaredBy,
  imported,
  isExportsObject,
  keyOf,
  meaningOf,
  named,
  propertiesOf,
  returnedBy,
  SOMETHING,
  type Value,
} from './values';

/**
 * What a module exports, in the manner of ES modules or of CommonJS, compiled and bundled ones included, as far as its
 * text alone tells.
 */
export class ModuleExports {
  readonly exported = new Map<string, Value>();
  /** The modules whose exports are all passed on. */
  readonly passedOn: string[] = [];
  /** What the names of the module stand for. */
  readonly names = new Map<string, Value>();

  /** @param step is told of every name, and may throw: a short text can export many names many times. */
  constructor(
    { body }: Program,
    private readonly step: () => void,
  ) {
    for (const statement of body) this.read(statement);
  }

  private read(statement: Statement | ModuleDeclaration): void {
    switch (statement.type) {
      case 'ImportDeclaration':
        this.import(statement);
        break;
      case 'ExportAllDeclaration':
        if (statement.exported) this.export(textOf(statement.exported), SOMETHING);
        else this.passOn(imported(statement.source.value, ALL));
        break;
      case 'ExportDefaultDeclaration':
        this.export('default', meaningOf(statement.declaration as Expression));
        break;
      case 'ExportNamedDeclaration':
        this.exportNamed(statement);
        break;
      case 'ExpressionStatement':
        this.evaluate(statement.expression);
        break;
      case 'IfStatement':
        this.read(statement.consequent);
        if (statement.alternate) this.read(statement.alternate);
        break;
      case 'BlockStatement':
        for (const inner of statement.body) this.read(inner);
        break;
      default:
        this.declare(statement);
    }
  }

  private exportNamed({ specifiers, source, declaration }: ExportNamedDeclaration): void {
    for (const { local, exported } of specifiers) {
      const name = textOf(local);
      this.export(textOf(exported), source ? imported(source.value, name) : named(name));
    }
    for (const [name, value] of declaration ? this.declare(declaration) : []) this.export(name, value);
  }

  /** What is set to nothing is not exported, as compilers do before they set it. */
  private export(name: string, value: Value): void {
    this.step();
    if (value.kind !== 'nothing') this.exported.set(name, value);
  }

  private passOn(value: Value): void {
    if (value.kind === 'import' && value.name === ALL) this.passedOn.push(value.from);
  }

  private import({ specifiers, source }: ImportDeclaration): void {
    for (const specifier of specifiers) {
      const name =
        specifier.type === 'ImportSpecifier'
          ? textOf(specifier.imported)
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : ALL;
      this.names.set(specifier.local.name, imported(source.value, name));
    }
  }

  private declare(statement: Statement): [string, Value][] {
    let declared: [string, Value][] = [];
    if (statement.type === 'VariableDeclaration') declared = declaredBy(statement);
    else if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
      declared = [[statement.id.name, SOMETHING]];
    }
    for (const [name, value] of declared) this.names.set(name, value);
    return declared;
  }

  private evaluate(expression: Expression): void {
    if (expression.type === 'AssignmentExpression') this.assign(expression);
    else if (expression.type === 'CallExpression') this.call(expression);
    else if (expression.type === 'SequenceExpression') {
      for (const part of expression.expressions) this.evaluate(part);
    } else if (expression.type === 'LogicalExpression') {
      // Bundlers tell what they export in a part that is never executed: `0 && (module.exports = { … })`.
      this.evaluate(expression.right);
    }
  }

  /** Gives back what is assigned, which `a = b = …` would otherwise have read once for each of them. */
  private assign({ left, right }: AssignmentExpression): Value {
    const value = right.type === 'AssignmentExpression' ? this.assign(right) : meaningOf(right);
    if (isExportsObject(left)) this.exportAll(right, value);
    else if (left.type === 'MemberExpression' && isExportsObject(left.object)) {
      const name = keyOf(left.property, left.computed);
      if (name !== null) this.export(name, value);
    }
    return value;
  }

  /** `module.exports = …` */
  private exportAll(right: Expression, value: Value): void {
    if (right.type === 'ObjectExpression') this.exportObject(right);
    this.passOn(this.known(value));
    // As esbuild writes it: `module.exports = __toCommonJS(all)`, after `__export(all, { … })`.
    const inner = right.type === 'CallExpression' ? right.arguments[0] : undefined;
    const object = this.known(inner?.type === 'Identifier' ? meaningOf(inner) : value);
    if (object.kind === 'object') {
      for (const [name, value] of object.properties) this.export(name, value);
    }
  }

  /** `{ a, b: c, ...require('./others') }` */
  private exportObject(object: ObjectExpression): void {
    for (const property of object.properties) {
      if (property.type === 'SpreadElement') this.passOn(this.known(meaningOf(property.argument)));
    }
  }

  private known(value: Value): Value {
    return (value.kind === 'name' && value.property === null && this.names.get(value.name)) || value;
  }

  private call({ callee, arguments: [first, second, third] }: CallExpression): void {
    if (!first || !second) return;
    const name = calleeOf(callee);
    if (name === 'defineProperty' && isExportsObject(first) && second.type === 'Literal') {
      const properties = third?.type === 'ObjectExpression' ? propertiesOf(third) : new Map<string, Value>();
      const getter = third?.type === 'ObjectExpression' ? getterOf(third) : null;
      this.export(String(second.value), getter ?? properties.get('value') ?? SOMETHING);
    } else if (name === '__exportStar') this.passOn(meaningOf(first));
    else if (name === '__export' && first.type === 'Identifier' && second.type === 'ObjectExpression') {
      this.names.set(first.name, { kind: 'object', properties: gettersOf(second) });
    }
  }
}

const textOf = (name: Identifier | Literal): string =>
  name.type === 'Identifier' ? name.name : String(name.value);

/** `{ enumerable: true, get: function () { return x; } }` */
const getterOf = (descriptor: ObjectExpression): Value | null => gettersOf(descriptor).get('get') ?? null;

/** `{ a: () => a, b: () => c }` */
function gettersOf({ properties }: ObjectExpression): Map<string, Value> {
  return new Map(
    properties.flatMap((property): [string, Value][] => {
      const key = property.type === 'Property' ? keyOf(property.key, property.computed) : null;
      return property.type === 'Property' && key !== null ? [[key, returnedBy(property.value)]] : [];
    }),
  );
}
