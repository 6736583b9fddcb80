/**
 * Messages by tables: for each field its number in the schema and its kind, and for fields that hold messages the table of those.
 *
 * The tables in `schema.ts` are the only description of the messages. `Fields` makes the compiler check them against the interfaces, and both
 * directions interpret them: a field that can be read can be written. Unknown fields are skipped; of a oneof, the last member stays.
 */
import { appended, type Kind } from "./field-kinds.ts";
import type { WireReader } from "./wire-reader.ts";

/** Marks a field that holds one message, or a list of messages. */
export type Embedded = "message" | "messages";

type TableOf<V> = () => Fields<V>;

/** The number and the kind of a field with values of type V, the table of its messages, and the oneof it belongs to. */
export type Field<V> =
  | readonly [number: number, kind: Kind<V>, table?: undefined, oneof?: string]
  | (V extends readonly (infer E)[]
      ? readonly [number: number, kind: "messages", table: TableOf<E>]
      : readonly [number: number, kind: "message", table: TableOf<NonNullable<V>>, oneof?: string]);

/** The fields of the messages of type T. */
export type Fields<T> = { readonly [K in keyof T]-?: Field<T[K]> };

/** A field of any message, with its name in the interface. */
export interface AnyField {
  readonly name: string;
  readonly number: number;
  readonly kind: Kind<unknown> | Embedded;
  /** The table of the messages it holds. */
  readonly table: (() => object) | undefined;
  /** The names of the other members of its oneof. */
  readonly others: readonly string[];
}

/** A message whose type is not known: the values of its fields by name. */
export type AnyMessage = Record<string, unknown>;
type AnyTable = Readonly<
  Record<
    string,
    readonly [number: number, kind: Kind<unknown> | Embedded, table: AnyField["table"] | undefined, oneof?: string]
  >
>;

/** The fields of a table by number and in ascending order, and a message without any of them. */
export interface MessageInfo {
  readonly byNumber: readonly (AnyField | undefined)[];
  readonly ascending: readonly AnyField[];
  readonly empty: AnyMessage;
}

const infos = new WeakMap<object, MessageInfo>();

/** Returns the data derived from a table, which is computed at its first use. */
export function infoOf(table: object): MessageInfo {
  const known = infos.get(table);
  if (known !== undefined) return known;
  const byNumber: (AnyField | undefined)[] = [];
  const empty: AnyMessage = {};
  const entries = Object.entries(table as AnyTable);
  for (const [name, [number, kind, inner, oneof]] of entries) {
    const members = entries.filter(([other, field]) => other !== name && oneof !== undefined && field[3] === oneof);
    byNumber[number] = { name, number, kind, table: inner, others: members.map(([other]) => other) };
    empty[name] = kind === "messages" ? [] : kind === "message" ? undefined : kind.empty;
  }
  const info = { byNumber, ascending: byNumber.filter((field) => field !== undefined), empty };
  infos.set(table, info);
  return info;
}

/** Reads the fields up to the end of the current message, into a new message or into one whose first part was read before. */
export function readFields<T>(reader: WireReader, table: Fields<T>, earlier?: T): T {
  reader.field = "";
  reader.countObject();
  const { byNumber, empty } = infoOf(table);
  const message = (earlier ?? { ...empty }) as AnyMessage;
  while (reader.at < reader.end) {
    const [number, wire] = reader.tag();
    const field = byNumber[number];
    if (field === undefined) reader.skip(number, wire);
    else {
      reader.field = field.name;
      message[field.name] = readField(reader, field, wire, message[field.name]);
      for (const other of field.others) message[other] = undefined;
    }
    reader.checkEnd();
  }
  return message as T;
}

function readField(reader: WireReader, { kind, table }: AnyField, wire: number, before: unknown): unknown {
  if (kind !== "message" && kind !== "messages") return kind.read(reader, wire, before);
  reader.expect(wire, 2);
  const inner = table?.() as Fields<unknown>;
  if (kind === "message") return reader.nested(undefined, () => readFields(reader, inner, before));
  const list = before as readonly unknown[];
  return appended(
    list,
    reader.nested(list.length, () => readFields(reader, inner)),
  );
}
