// What a cache must know of the schema, by its types.
import schema from "./schema.json" with { type: "json" };

const { types } = schema.__schema;
export const objects = types.filter(({ kind }) => kind === "OBJECT");

/** The types whose objects have no id. A cache stores these objects inside the object that has them. */
export const withoutId = objects
  .filter(({ name }) => !["Query", "Mutation", "Subscription"].includes(name))
  .filter(({ fields }) => !fields.some(({ name }) => name === "id"))
  .map(({ name }) => name);

/** The types of each interface and union. */
export const possibleTypes = Object.fromEntries(
  types.filter((type) => type.possibleTypes).map((type) => [type.name, type.possibleTypes.map(({ name }) => name)]),
);

const required = (type) => (type.kind === "NON_NULL" ? type.ofType : type);
export const isList = ({ type }) => required(type).kind === "LIST";
export const isConnection = ({ type }) => required(type).name?.endsWith("Connection") ?? false;

/** The arguments of a connection that choose its rows: all but those that choose the page. */
export const choices = ({ args }) =>
  args.map(({ name }) => name).filter((name) => !["first", "after", "last", "before"].includes(name));
